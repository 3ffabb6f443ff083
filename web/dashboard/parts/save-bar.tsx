import { useEffect } from 'preact/hooks';
import { discardAll, isTried, leaving, unsaved } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { useShortcuts } from '../base/shortcuts.ts';
import { useHeightVariable } from '../base/use-height-variable.ts';
import { Dialog } from './dialog.tsx';
import { Notice } from './parts.tsx';
import { toast } from './toasts.tsx';

/** Saves or discards the changes of the open screen. Visible at the bottom of the window while there are any. */
export function SaveBar() {
  const editors = [...unsaved.value.values()];
  const save = () => void saveTyped();
  // Also active without editors, because a field that is being edited reports its change only when it loses the focus.
  useShortcuts(editors.length === 0 ? { 'ctrl+s': save } : { 'ctrl+s': save, 'ctrl+enter': save });
  const isShown = editors.length > 0;
  const bar = useHeightVariable<HTMLElement>('--save-bar-px', isShown);
  useEffect(() => {
    // The bar must not cover the field that is being edited.
    if (isShown) document.activeElement?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  if (!isShown) return null;
  const isBusy = editors.some(({ saving }) => saving.isBusy.value);
  return (
    <section ref={bar} class="save-bar" aria-label={t('Unsaved changes')}>
      <p class="save-bar-text">
        <strong>{t('Unsaved changes')}</strong>
        <span class="hint">{editors.map(({ name }) => name).join(', ')}</span>
      </p>
      <button type="button" disabled={isBusy} onClick={discardAll}>
        {t('Discard')}
      </button>
      <button type="button" class="primary" disabled={isBusy} onClick={() => void saveAll()}>
        {isBusy ? t('Saving…') : t('Save changes')}
      </button>
      <Problems />
    </section>
  );
}

/** Saves all open editors, with the text of a field that reports its changes only when it loses the focus. */
async function saveTyped(): Promise<void> {
  const field = document.activeElement;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    field.blur();
    // Preact renders and runs its effects after the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    field.focus({ preventScroll: true });
  }
  await saveAll();
}

/** Saves all open editors. Resolves to whether each succeeded. */
async function saveAll(): Promise<boolean> {
  const editors = [...unsaved.value.values()];
  isTried.value = editors.some(({ fault }) => fault !== null);
  if (isTried.value) return false;
  const results = await Promise.all(editors.map(({ save }) => save()));
  const done = editors.filter((_, index) => results[index] === true).map((editor) => editor.done);
  for (const text of new Set(done)) toast(text);
  return results.every(Boolean);
}

/** Reasons why the last save failed or why changes cannot be saved. */
function Problems() {
  const editors = [...unsaved.value.values()];
  const errors = new Set(editors.flatMap(({ fault, saving }) => [isTried.value ? fault : null, saving.error.value]));
  return (
    <>
      {[...errors].map((error) =>
        error === null ? null : (
          <Notice key={error} kind="error">
            {error}
          </Notice>
        ),
      )}
      {editors.some(({ isOutdated }) => isOutdated) && (
        <p class="notice warn">{t('Someone else has changed this in the meantime. Saving replaces their version.')}</p>
      )}
    </>
  );
}

/** Asks about unsaved changes before the user leaves the screen. */
export function LeaveDialog() {
  const leave = leaving.value;
  if (leave === null) return null;
  const isBusy = [...unsaved.value.values()].some(({ saving }) => saving.isBusy.value);
  const stay = () => {
    leaving.value = null;
  };
  const go = () => {
    discardAll();
    stay();
    leave();
  };
  const save = async () => {
    if (await saveAll()) go();
    else stay();
  };
  return (
    <Dialog title={t('Leave without saving?')} onClose={stay}>
      <p>{t('Your changes are not saved yet: {0}.', [...unsaved.value.values()].map(({ name }) => name).join(', '))}</p>
      <div class="row end">
        <button type="button" class="quiet" onClick={go}>
          {t('Discard changes')}
        </button>
        <button type="button" onClick={stay}>
          {t('Stay')}
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void save()}>
          {t('Save and leave')}
        </button>
      </div>
    </Dialog>
  );
}
