import { signal, useSignal } from '@preact/signals';
import { connection } from '../base/api.ts';
import { calls } from '../base/calls.ts';
import { t } from '../base/language.ts';
import { asCommand, asCurl, asTypeScript } from '../base/snippets.ts';
import { Dialog } from '../parts/dialog.tsx';
import { CopyField } from '../parts/parts.tsx';

const isOpen = signal(false);

export function openCalls(): void {
  isOpen.value = true;
}

/** Shows the page's recent calls as code, because scripts can do everything that a button does. */
export function ShowCall() {
  return isOpen.value ? <OpenCalls /> : null;
}

function OpenCalls() {
  const shown = useSignal(0);
  const call = calls.value[shown.value];
  return (
    <Dialog title={t('Show API calls')} class="wide" onClose={() => (isOpen.value = false)}>
      <p class="hint">{t('API calls made by this page, newest first. Replace KEY with your own key.')}</p>
      {call === undefined ? (
        <p>{t('No calls yet.')}</p>
      ) : (
        <>
          <label>
            {t('Call')}
            <select value={shown.value} onChange={(event) => (shown.value = Number(event.currentTarget.value))}>
              {calls.value.map(({ id, method, path }, index) => (
                <option key={id} value={index}>
                  {`${method} ${path}`.slice(0, 110)}
                </option>
              ))}
            </select>
          </label>
          <CopyField label={t('curl')} text={asCurl(call, connection.url)} isWrapped />
          <CopyField label={t('TypeScript')} text={asTypeScript(call)} isWrapped />
          <CopyField label={t('millrace')} text={asCommand(call)} isWrapped />
        </>
      )}
    </Dialog>
  );
}
