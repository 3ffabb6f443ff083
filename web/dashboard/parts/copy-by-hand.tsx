import { useEffect, useRef } from 'preact/hooks';
import { uncopied } from '../base/copy-text.ts';
import { t } from '../base/language.ts';
import { Dialog } from './dialog.tsx';
import { Notice } from './parts.tsx';

/** Shows a text that the browser did not copy, selected. */
export function CopyByHand() {
  const text = uncopied.value;
  return text === null ? null : <SelectedText text={text} />;
}

function SelectedText({ text }: { text: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  // Runs after the dialog has opened, because opening it moves the focus.
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, []);
  return (
    <Dialog title={t('Copy by hand')} onClose={() => (uncopied.value = null)}>
      <Notice kind="error">
        {t('The browser refused to copy the text. It is selected: copy it with Ctrl+C or ⌘C.')}
      </Notice>
      <textarea ref={area} readOnly rows={4} aria-label={t('Copy by hand')}>
        {text}
      </textarea>
    </Dialog>
  );
}
