import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { addressOf, go } from '../base/router.ts';
import { signInByLink } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';
import { Mark } from './sign-in.tsx';

/**
 * Target of the link that the first start prints. Signs in with the secret after the #, and removes it from the URL.
 */
export function Welcome() {
  const error = useSignal<string | null>(null);
  useEffect(() => {
    const secret = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    signInByLink(secret).then(
      () => go({ name: 'home' }),
      (reason: unknown) => {
        error.value = describeError(reason);
      },
    );
  }, [error]);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1 class="brand">
          <Mark /> {t('Millrace')}
        </h1>
        {error.value === null ? (
          <p class="hint">{t('Signing in…')}</p>
        ) : (
          <>
            <Notice kind="error">{error.value}</Notice>
            <a class="button primary" href={addressOf({ name: 'home' })}>
              {t('Sign in with a key')}
            </a>
          </>
        )}
      </div>
    </main>
  );
}
