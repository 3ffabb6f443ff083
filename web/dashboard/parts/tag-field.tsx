import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../base/language.ts';
import { Icon } from './icon.tsx';

type Props = { id: string; label: string; tags: readonly string[]; onChange: (tags: readonly string[]) => void };

/**
 * Edits tags as chips. Enter or a comma adds the typed tags. Backspace in the empty field removes the last tag. Delete
 * or Backspace on a chip removes that tag.
 */
export function TagField({ id, label, tags, onChange }: Props) {
  const text = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const add = () => {
    const typed = text.value.split(',').map((tag) => tag.trim());
    text.value = '';
    const added = typed.filter((tag) => tag !== '' && !tags.includes(tag));
    if (added.length > 0) onChange([...new Set([...tags, ...added])]);
  };
  const press = (event: KeyboardEvent) => {
    // While an input method composes, Enter accepts its suggestion.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && text.value === '') onChange(tags.slice(0, -1));
  };
  const remove = (tag: string) => {
    onChange(tags.filter((one) => one !== tag));
    input.current?.focus();
  };
  const pressOnChip = (event: KeyboardEvent, tag: string) => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    event.preventDefault();
    // Delete is also the page's shortcut for the trash.
    event.stopPropagation();
    remove(tag);
  };
  return (
    <div class="tag-editor">
      <label for={id}>{label}</label>
      <div class="tag-box">
        {tags.map((tag) => (
          <span key={tag} class="tag" dir="auto">
            <span>{tag}</span>
            <button
              type="button"
              class="quiet"
              aria-label={t('Remove tag {0}', tag)}
              onClick={() => remove(tag)}
              onKeyDown={(event) => pressOnChip(event, tag)}
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          dir="auto"
          placeholder={tags.length === 0 ? t('Type a tag and press Enter') : ''}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            if (currentTarget.value.includes(',')) add();
          }}
          onKeyDown={press}
          onBlur={add}
        />
      </div>
    </div>
  );
}
