import { useSignal } from '@preact/signals';
import type { PasskeyModel } from '../../../src/api/dashboard/add-own-passkeys.ts';
import type { PasskeyPlace } from '../../../src/api/dashboard/passkey-place.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { addPasskey, PASSKEYS, passkeyFault } from '../base/passkeys.ts';
import { moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Panel, Table, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { toast } from '../parts/toasts.tsx';

type Doing = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: PasskeyModel };

/** The signed-in person's passkeys. */
export function OwnPasskeys({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const { value, error, again } = useLoaded<PasskeyModel[]>(PASSKEYS);
  const place = useLoaded<{ passkeys: PasskeyPlace }>('/dashboard/sign-in').value.value?.passkeys;
  const doing = useSignal<Doing | null>(null);
  const fault = place === undefined ? null : passkeyFault(place);
  const done = (text: string) => {
    doing.value = null;
    again();
    toast(text);
  };
  const passkeys = value.value ?? [];
  return (
    <Panel
      title={t('Passkeys')}
      hint={t('Sign in with a fingerprint, face, PIN or security key, without a password and code.')}
    >
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {passkeys.length > 0 && (
        <Table label={t('Passkeys')} head={[t('Name'), t('Added'), t('Last used'), t('Actions')]}>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <th scope="row">{passkey.name}</th>
              <td>{moment(passkey.createdAt)}</td>
              <td>{passkey.lastUsedAt === null ? t('Never') : moment(passkey.lastUsedAt)}</td>
              <td>
                <div class="row">
                  <button
                    type="button"
                    aria-label={t('Rename {0}', passkey.name)}
                    onClick={() => (doing.value = { kind: 'rename', passkey })}
                  >
                    {t('Rename')}
                  </button>
                  <button
                    type="button"
                    class="danger"
                    aria-label={t('Remove {0}', passkey.name)}
                    onClick={() => (doing.value = { kind: 'remove', passkey })}
                  >
                    {t('Remove')}
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {fault === null ? (
        <div class="row">
          <button type="button" disabled={place === undefined} onClick={() => (doing.value = { kind: 'add' })}>
            {t('Add passkey')}
          </button>
        </div>
      ) : (
        <p class="hint">{fault}</p>
      )}
      {doing.value !== null && (
        <Step doing={doing.value} {...{ email, hasPassword }} onDone={done} onClose={() => (doing.value = null)} />
      )}
    </Panel>
  );
}

type StepProps = {
  doing: Doing;
  email: string;
  hasPassword: boolean;
  onDone: (text: string) => void;
  onClose: () => void;
};

function Step({ doing, email, hasPassword, onDone, onClose }: StepProps) {
  const name = useSignal(doing.kind === 'rename' ? doing.passkey.name : '');
  const current = useSignal('');
  const { isBusy, error, run } = useAction();
  const words = wordsOf(doing);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await perform(doing, { name: name.value, current: current.value });
      onDone(words.done);
    });
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {doing.kind === 'remove' ? (
          <p>{t('All sessions that this passkey opened end, except this one.')}</p>
        ) : (
          <TextField
            label={t('Name')}
            value={name.value}
            onChange={(text) => (name.value = text)}
            {...(doing.kind === 'add' && {
              hint: t('For example, the name of the device. If empty, the name of the browser is used.'),
            })}
          />
        )}
        {doing.kind !== 'rename' && hasPassword && (
          <>
            <input type="email" autocomplete="username" value={email} hidden readOnly />
            <SecretField
              label={t('Current password')}
              type="password"
              autocomplete="current-password"
              value={current}
            />
          </>
        )}
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        <div class="row">
          <button type="submit" class={doing.kind === 'remove' ? 'danger' : 'primary'} disabled={isBusy.value}>
            {words.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function wordsOf(doing: Doing): { title: string; submit: string; done: string } {
  switch (doing.kind) {
    case 'add':
      return { title: t('Add passkey'), submit: t('Continue'), done: t('Passkey added.') };
    case 'rename':
      return { title: t('Rename passkey'), submit: t('Save'), done: t('Saved.') };
    case 'remove':
      return { title: t('Remove {0}', doing.passkey.name), submit: t('Remove passkey'), done: t('Passkey removed.') };
  }
}

async function perform(doing: Doing, given: { name: string; current: string }): Promise<void> {
  switch (doing.kind) {
    case 'add':
      return addPasskey(given);
    case 'rename':
      return api('POST', `${PASSKEYS}/${doing.passkey.id}`, { name: given.name });
    case 'remove':
      return api('POST', `${PASSKEYS}/${doing.passkey.id}/remove`, { current: given.current });
  }
}
