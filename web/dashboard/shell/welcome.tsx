import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../base/action.ts';
import { api, describeError } from '../base/api.ts';
import { said, t } from '../base/language.ts';
import { addressOf, replacePath } from '../base/router.ts';
import { restoreSession, session, signInByLink } from '../base/session.ts';
import { Notice } from '../parts/parts.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { PasswordChoice } from './password-choice.tsx';
import { Mark } from './sign-in.tsx';

/** The service's message about a link that no longer works. A page without a link, such as a bookmark, has none. */
const USED = 'This link was used before or has expired. Sign in with your password or a key.';

type Step = { name: 'signing-in' } | { name: 'choosing' } | { name: 'invited'; secret: string; email: string };

/**
 * Target of the link that the first start prints. Signs in with the secret after the #, and removes it from the URL.
 * Then creates the account of the owner, or continues with keys only.
 */
export function Welcome() {
  // Replaces the URL, so that the browser's Back does not return to a used link.
  const leave = () => replacePath({ name: 'home' });
  const error = useSignal<string | null>(null);
  const step = useSignal<Step>({ name: 'signing-in' });
  useEffect(() => {
    const secret = location.hash.slice(1);
    history.replaceState(null, '', location.pathname);
    signInByLink(secret).then(
      () => {
        step.value = { name: 'choosing' };
      },
      async (reason: unknown) => {
        // After a reload, the link is already used, but this browser is still signed in.
        await restoreSession().catch(() => undefined);
        if (session.value?.person === null && session.value.libraryId === null) step.value = { name: 'choosing' };
        else if (secret === '' && session.value) leave();
        else error.value = secret === '' ? said(USED) : describeError(reason);
      },
    );
  }, [error, step]);
  const { value } = step;
  if (value.name === 'invited') {
    return (
      <main class="sign-in">
        <PasswordChoice secret={value.secret} email={value.email} name="" onDone={leave} />
      </main>
    );
  }
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1 class="brand">
          <Mark /> {t('Millrace')}
        </h1>
        {error.value !== null && (
          <>
            <Notice kind="error">{error.value}</Notice>
            <a class="button primary" href={addressOf({ name: 'home' })}>
              {t('Sign in')}
            </a>
          </>
        )}
        {error.value === null && value.name === 'signing-in' && <p class="hint">{t('Signing in…')}</p>}
        {value.name === 'choosing' && (
          <OwnerForm onInvited={(secret, email) => (step.value = { name: 'invited', secret, email })} onSkip={leave} />
        )}
      </div>
    </main>
  );
}

type OwnerProps = { onInvited: (secret: string, email: string) => void; onSkip: () => void };

function OwnerForm({ onInvited, onSkip }: OwnerProps) {
  const email = useSignal('');
  const { isBusy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const owner = { Email: email.value, Role: 'owner' };
      const { Link } = await api<{ Link: string }>('POST', '/people', owner);
      onInvited(Link.split('#')[1] ?? '', email.value);
    });
  };
  return (
    <form class="plain" onSubmit={submit}>
      <p>{t('Create your account as the owner. You can then sign in with a password and invite others.')}</p>
      <SecretField label={t('E-mail address')} type="email" autocomplete="username" value={email} />
      <button type="submit" class="primary" disabled={isBusy.value}>
        {t('Continue')}
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <button type="button" class="quiet" onClick={onSkip}>
        {t('Continue with keys only')}
      </button>
    </form>
  );
}
