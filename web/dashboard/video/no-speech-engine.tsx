import { t } from '../base/language.ts';
import { may } from '../base/session.ts';

/** Replaces actions that need a speech engine if none is configured. */
export function NoSpeechEngine() {
  if (!may('account.manage')) {
    return <p class="hint">{t('Captions and texts from speech are not set up. Ask an administrator.')}</p>;
  }
  return (
    <p class="hint">
      {t('Captions and texts from speech need a speech engine. Add a model on the server:')}{' '}
      <code>{'millrace speech add'}</code>
    </p>
  );
}
