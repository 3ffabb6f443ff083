import { useSignal } from '@preact/signals';
import { useAction } from '../base/action.ts';
import { t } from '../base/language.ts';
import { join } from '../base/session.ts';
import { TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { Mark } from './sign-in.tsx';

type Props = { secret: string; email: string; name: string; onDone: () => void };

/** Form with which an invited person chooses name and password. */
export function PasswordChoice({ secret, email, name, onDone }: Props) {
  const chosenName = useSignal(name);
  const password = useSignal('');
  const { isBusy, error, run } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run(() => join({ secret, name: chosenName.value, password: password.value }))) onDone();
  };
  return (
    <form onSubmit={submit}>
      <h1 class="brand">
        <Mark /> {t('Millrace')}
      </h1>
      <p>{t('Choose a password for {0}.', email)}</p>
      {/* Password managers save the e-mail address with the password. */}
      <input type="email" autocomplete="username" value={email} hidden readOnly />
      <TextField label={t('Name')} value={chosenName.value} onChange={(text) => (chosenName.value = text)} />
      <SecretField
        label={t('Password')}
        type="password"
        autocomplete="new-password"
        value={password}
        hint={t('At least 12 characters, such as four or five words.')}
      />
      <button type="submit" class="primary" disabled={isBusy.value}>
        {t('Save and sign in')}
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </form>
  );
}
