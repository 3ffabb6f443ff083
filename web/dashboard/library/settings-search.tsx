import { useSignal } from '@preact/signals';
import { t, tr } from '../base/language.ts';
import { findSettings, SETTINGS, type Setting, sectionOf } from './settings-index.ts';

const MAX_FOUND = 8;

type Props = { mayOpen: (block: string) => boolean; onChoose: (block: string, label: string) => void };

/** Finds a setting by words and jumps to it. */
export function SettingsSearch({ mayOpen, onChoose }: Props) {
  const text = useSignal('');
  const chosen = useSignal(0);
  const isOpen = useSignal(false);
  const open = SETTINGS.filter(([block]) => mayOpen(block));
  const found = findSettings(text.value, open, tr).slice(0, MAX_FOUND);
  const at = Math.min(chosen.value, found.length - 1);
  const choose = (setting: Setting | undefined) => {
    if (setting === undefined) return;
    isOpen.value = false;
    text.value = '';
    onChoose(setting[0], setting[1]);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) chosen.value = (at + step + found.length) % found.length;
    else if (event.key === 'Enter' && !event.isComposing) choose(found[at]);
    else if (event.key === 'Escape' && isOpen.value) isOpen.value = false;
    else return;
    event.preventDefault();
  };
  const isShown = isOpen.value && text.value.trim() !== '';
  return (
    <search class="settings-search">
      <input
        type="text"
        role="combobox"
        aria-expanded={isShown}
        aria-controls="settings-found"
        aria-activedescendant={isShown && at >= 0 ? `setting-${at}` : undefined}
        aria-label={t('Find a setting')}
        placeholder={t('Find a setting')}
        autocomplete="off"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          chosen.value = 0;
          isOpen.value = true;
        }}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={press}
      />
      <div id="settings-found" role="listbox" aria-label={t('Settings found')} hidden={!isShown || found.length === 0}>
        {found.map((setting, index) => (
          <div
            key={`${setting[0]} ${setting[1]}`}
            id={`setting-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // Prevents the field from losing the focus, which would close the list before the click.
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={({ movementX, movementY }) => {
              // The browser also reports a move when the list appears under a resting pointer.
              if (movementX !== 0 || movementY !== 0) chosen.value = index;
            }}
            onClick={() => choose(setting)}
            onKeyDown={press}
          >
            <span>{tr(setting[1])}</span> <span class="hint">{tr(sectionOf(setting[0]).label)}</span>
          </div>
        ))}
      </div>
      {isShown && found.length === 0 && <p class="settings-none hint">{t('No results.')}</p>}
    </search>
  );
}
