import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { PasskeyPlace } from '../../../src/api/dashboard/passkey-place.ts';
import { useAction } from '../base/action.ts';
import { describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { isExpired, signIn, signInByPassword } from '../base/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/parts.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { ProviderButtons, type ProviderName, useProviderFault } from './provider-buttons.tsx';

export function SignIn() {
  return (
    <main class="sign-in">
      <Forms>
        <h1 class="brand">
          <Mark /> {t('Millrace')}
        </h1>
      </Forms>
    </main>
  );
}

/** Asks for a key in a dialog after the session has ended, so that the page keeps its unsaved changes. */
export function SignInAgain() {
  if (!isExpired.value) return null;
  return (
    <Dialog title={t('Sign in')} onClose={() => (isExpired.value = false)}>
      <Forms class="stack">
        <p>{t('Your session has ended. Sign in again to keep your unsaved changes.')}</p>
      </Forms>
    </Dialog>
  );
}

type FormProps = { class?: string; children: ComponentChildren };

/** Asks for e-mail and password if the installation has people, or else for a key. */
function Forms({ children, ...props }: FormProps) {
  const chosen = useSignal<'password' | 'key' | null>(null);
  const { value } = useLoaded<{ hasPeople: boolean; providers: ProviderName[]; passkeys: PasskeyPlace }>(
    '/dashboard/sign-in',
  );
  const fault = useProviderFault();
  const providers = value.value?.providers ?? [];
  const hasPeople = value.value?.hasPeople === true || providers.length > 0;
  const shown = chosen.value ?? (hasPeople ? 'password' : 'key');
  const other = shown === 'password' ? 'key' : 'password';
  const Form = shown === 'password' ? PasswordForm : KeyForm;
  return (
    <Form
      {...props}
      providers={providers}
      passkeys={hasPeople ? (value.value?.passkeys ?? null) : null}
      other={shown === 'password' ? t('Use an access key') : t('Use e-mail and password')}
      onOther={() => (chosen.value = other)}
    >
      {children}
      {fault !== null && <Notice kind="error">{fault}</Notice>}
    </Form>
  );
}

type OtherProps = FormProps & {
  providers: readonly ProviderName[];
  /** Null if nobody can have a passkey. */
  passkeys: PasskeyPlace | null;
  other: string;
  onOther: () => void;
};

function PasswordForm({ class: name = '', children, providers, passkeys, other, onOther }: OtherProps) {
  const email = useSignal('');
  const password = useSignal('');
  const code = useSignal('');
  const needsCode = useSignal(false);
  const { isBusy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const given = { email: email.value, password: password.value };
      const isIn = await signInByPassword(needsCode.value ? { ...given, code: code.value } : given);
      needsCode.value = !isIn;
    });
  };
  return (
    <form class={name} onSubmit={submit}>
      {children}
      <SecretField label={t('E-mail address')} type="email" autocomplete="username" value={email} />
      <SecretField label={t('Password')} type="password" autocomplete="current-password" value={password} />
      {needsCode.value && (
        <SecretField label={t('Code from your app')} type="text" autocomplete="one-time-code" value={code} />
      )}
      <button type="submit" class="primary" disabled={isBusy.value}>
        {isBusy.value ? t('Signing in…') : t('Sign in')}
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {passkeys !== null && <PasskeyButton place={passkeys} />}
      <ProviderButtons providers={providers} />
      <button type="button" class="quiet" onClick={onOther}>
        {other}
      </button>
      <p class="hint">{t('If you forgot your password, ask an administrator for a new link.')}</p>
    </form>
  );
}

function KeyForm({ class: name = '', children, providers, passkeys, other, onOther }: OtherProps) {
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
      {passkeys !== null && <PasskeyButton place={passkeys} />}
      <ProviderButtons providers={providers} />
      <button type="button" class="quiet" onClick={onOther}>
        {other}
      </button>
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
