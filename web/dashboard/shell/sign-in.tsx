import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { isExpired, signIn } from '../base/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/parts.tsx';

export function SignIn() {
  return (
    <main class="sign-in">
      <KeyForm>
        <h1 class="brand">
          <Mark /> {t('Millrace')}
        </h1>
      </KeyForm>
    </main>
  );
}

/** Asks for a key in a dialog after the session has ended, so that the page keeps its unsaved changes. */
export function SignInAgain() {
  if (!isExpired.value) return null;
  return (
    <Dialog title={t('Sign in')} onClose={() => (isExpired.value = false)}>
      <KeyForm class="stack">
        <p>{t('Your session has ended. Sign in again to keep your unsaved changes.')}</p>
      </KeyForm>
    </Dialog>
  );
}

function KeyForm({ class: name = '', children }: { class?: string; children: ComponentChildren }) {
  const key = useSignal('');
  const error = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    error.value = null;
    try {
      await signIn(key.value);
    } catch (reason) {
      error.value = describeError(reason);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class={name} onSubmit={submit}>
      {children}
      <label>
        {t('Key')}
        <input
          type="password"
          name="key"
          autocomplete="current-password"
          required
          value={key.value}
          onInput={(event) => (key.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={isBusy.value}>
        {isBusy.value ? t('Signing in…') : t('Sign in')}
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <p class="hint">
        {t('The first start printed an account key, which gives access to everything.')}{' '}
        {t('A library key gives access to one library. A read-only key cannot change anything.')}
      </p>
    </form>
  );
}

/** The logo: water over a wheel. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M12 9.5v13l11-6.500z" />
      <path class="stream" d="M5 12h4M5 16h4M5 20h4" />
    </svg>
  );
}
