import { useSignal } from '@preact/signals';
import { describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { signIn } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';

export function SignIn() {
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
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1 class="brand">
          <Mark /> {t('Millrace')}
        </h1>
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
    </main>
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
