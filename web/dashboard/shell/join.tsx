import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { addressOf, replacePath } from '../base/router.ts';
import { restoreSession, session } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';
import { PasswordChoice } from './password-choice.tsx';
import { Mark } from './sign-in.tsx';

type Invited = { secret: string; email: string; name: string };

/** Target of an invitation: asks for name and password. The secret after the # is removed from the URL. */
export function Join() {
  const invited = useSignal<Invited | null>(null);
  const error = useSignal<string | null>(null);
  useEffect(() => {
    const secret = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    api<Omit<Invited, 'secret'>>('POST', '/dashboard/invitation', { secret }).then(
      (found) => {
        invited.value = { ...found, secret };
      },
      async (reason: unknown) => {
        await restoreSession().catch(() => undefined);
        if (secret === '' && session.value) replacePath({ name: 'home' });
        else error.value = describeError(reason);
      },
    );
  }, [error, invited]);
  return (
    <main class="sign-in">
      {invited.value !== null ? (
        <PasswordChoice {...invited.value} onDone={() => replacePath({ name: 'home' })} />
      ) : (
        <div class="sign-in-card">
          <h1 class="brand">
            <Mark /> {t('Millrace')}
          </h1>
          {error.value === null ? (
            <p class="hint">{t('Loading…')}</p>
          ) : (
            <>
              <Notice kind="error">{error.value}</Notice>
              <a class="button primary" href={addressOf({ name: 'home' })}>
                {t('Sign in')}
              </a>
            </>
          )}
        </div>
      )}
    </main>
  );
}
