import { useSignal } from '@preact/signals';
import type { Static } from 'typebox';
import type { PersonSessionList } from '../../../src/api/models/person.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { language, t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { restoreSession, session } from '../base/session.ts';
import { moment } from '../base/words.ts';
import { Panel, Table, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { toast } from '../parts/toasts.tsx';
import { OwnNotifications } from './own-notifications.tsx';
import { OwnPasskeys } from './own-passkeys.tsx';

/** The signed-in person's name, password, second factor and sessions. */
export function OwnAccount() {
  const person = session.value?.person;
  if (person == null) {
    return (
      <>
        <header class="place">
          <h1>{t('Your account')}</h1>
        </header>
        <p class="panel">
          {t('You are signed in with a key, which has no account. Sign out, and sign in with your e-mail address.')}
        </p>
      </>
    );
  }
  return (
    <>
      <header class="place">
        <h1>{t('Your account')}</h1>
        <span class="hint">{person.email}</span>
      </header>
      <div class="stack">
        <div class="columns">
          <Profile name={person.name} />
          <Password email={person.email} />
          {person.hasTotp ? <RemoveTotp /> : <AddTotp />}
        </div>
        <OwnNotifications email={person.email} />
        <OwnPasskeys email={person.email} hasPassword={person.hasPassword} />
        <Sessions ownId={person.sessionId} />
      </div>
    </>
  );
}

function Profile({ name }: { name: string }) {
  const chosen = useSignal(name);
  const { error, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api('POST', '/dashboard/account', { name: chosen.value, language: language.value });
      await restoreSession();
      toast(t('Saved.'));
    });
  };
  return (
    <Panel title={t('Profile')} hint={t('The current language of the dashboard is saved with it.')}>
      <form class="stack" onSubmit={save}>
        <TextField label={t('Name')} value={chosen.value} onChange={(text) => (chosen.value = text)} />
        <Submit label={t('Save')} error={error.value} />
      </form>
    </Panel>
  );
}

function Submit({ label, error }: { label: string; error: string | null }) {
  return (
    <>
      {error !== null && <Notice kind="error">{error}</Notice>}
      <div class="row">
        <button type="submit" class="primary">
          {label}
        </button>
      </div>
    </>
  );
}

function Password({ email }: { email: string }) {
  const current = useSignal('');
  const password = useSignal('');
  const { error, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api('POST', '/dashboard/account/password', { current: current.value, password: password.value });
      await restoreSession();
      current.value = '';
      password.value = '';
      toast(t('Password changed. All other sessions have ended.'));
    });
  };
  return (
    <Panel title={t('Password')}>
      <form class="stack" onSubmit={save}>
        <input type="email" autocomplete="username" value={email} hidden readOnly />
        <SecretField label={t('Current password')} type="password" autocomplete="current-password" value={current} />
        <SecretField
          label={t('New password')}
          type="password"
          autocomplete="new-password"
          value={password}
          hint={t('At least 12 characters, such as four or five words.')}
        />
        <Submit label={t('Change password')} error={error.value} />
      </form>
    </Panel>
  );
}

function AddTotp() {
  const made = useSignal<{ secret: string; address: string } | null>(null);
  const code = useSignal('');
  const current = useSignal('');
  const { error, run } = useAction();
  const begin = () =>
    run(async () => {
      made.value = await api<{ secret: string; address: string }>('GET', '/dashboard/account/totp');
    });
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const given = { current: current.value, secret: made.value?.secret ?? '', code: code.value };
      await api('POST', '/dashboard/account/totp', given);
      await restoreSession();
      toast(t('Sign-in now requires a code from your app.'));
    });
  };
  return (
    <Panel title={t('Second factor')} hint={t('An authenticator app on your phone shows a new code every 30 seconds.')}>
      {made.value === null ? (
        <div class="row">
          <button type="button" onClick={() => void begin()}>
            {t('Set up an app')}
          </button>
        </div>
      ) : (
        <form class="stack" onSubmit={save}>
          <QrCode text={made.value.address} label={t('QR code for your app')} />
          <CopyField label={t('Secret, if you cannot scan the code')} text={made.value.secret} />
          <SecretField label={t('Code from your app')} type="text" autocomplete="one-time-code" value={code} />
          <SecretField label={t('Current password')} type="password" autocomplete="current-password" value={current} />
          <Submit label={t('Turn on')} error={error.value} />
        </form>
      )}
    </Panel>
  );
}

function RemoveTotp() {
  const current = useSignal('');
  const { error, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api('POST', '/dashboard/account/totp/remove', { current: current.value });
      await restoreSession();
      toast(t('Sign-in now requires only your password.'));
    });
  };
  return (
    <Panel title={t('Second factor')} hint={t('Sign-in requires a code from your authenticator app.')}>
      <form class="stack" onSubmit={save}>
        <SecretField label={t('Current password')} type="password" autocomplete="current-password" value={current} />
        <Submit label={t('Turn off')} error={error.value} />
      </form>
    </Panel>
  );
}

function Sessions({ ownId }: { ownId: string }) {
  const path = '/dashboard/account/sessions';
  const { value, error, again } = useLoaded<Static<typeof PersonSessionList>>(path);
  const ending = useAction();
  const end = (address: string) =>
    ending.run(async () => {
      await api('DELETE', address);
      again();
    });
  const message = error.value ?? ending.error.value;
  return (
    <Panel title={t('Sessions')} hint={t('Browsers in which you are signed in.')}>
      {message !== null && <Notice kind="error">{message}</Notice>}
      <Table
        label={t('Sessions')}
        head={[t('Browser'), t('IP address'), t('Sign-in time'), t('Last used'), t('Actions')]}
      >
        {(value.value ?? []).map((each) => (
          <tr key={each.Id}>
            <th scope="row">{each.Device}</th>
            <td>{each.Address}</td>
            <td>{moment(each.DateCreated)}</td>
            <td>{moment(each.DateLastUsed)}</td>
            <td>
              {each.Id === ownId ? (
                t('This browser')
              ) : (
                <button type="button" onClick={() => void end(`${path}/${each.Id}`)}>
                  {t('End session')}
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <div class="row">
        <button type="button" onClick={() => void end(path)}>
          {t('End all other sessions')}
        </button>
      </div>
    </Panel>
  );
}
