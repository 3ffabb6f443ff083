import { type Signal, useSignal } from '@preact/signals';
import type { SignInProviderList, SignInProviderModel } from '../../../src/api/models/sign-in-provider.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { fullLink } from '../base/full-link.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Panel, SelectField, Table, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type Choices = readonly (readonly [string, string])[];
type Props = { roles: Choices; scopes: Choices };

/** OpenID Connect providers, which owners manage. */
export function Providers(choices: Props) {
  const { value, error, again } = useLoaded<SignInProviderList>('/sign-in-providers');
  const isAdding = useSignal(false);
  const found = value.value ?? [];
  return (
    <Panel
      title={t('Sign-in providers')}
      hint={t('People sign in with accounts of your organisation (OpenID Connect). Passwords and keys keep working.')}
    >
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found.length > 0 && (
        <Table label={t('Sign-in providers')} head={[t('Name'), t('Issuer URL'), t('Actions')]}>
          {found.map((provider) => (
            <Row key={provider.Id} {...choices} provider={provider} onChanged={again} />
          ))}
        </Table>
      )}
      <div class="row">
        <button type="button" onClick={() => (isAdding.value = true)}>
          {t('Add provider')}
        </button>
      </div>
      {isAdding.value && <Form {...choices} provider={null} onSaved={again} onClose={() => (isAdding.value = false)} />}
    </Panel>
  );
}

type RowProps = Props & { provider: SignInProviderModel; onChanged: () => void };

function Row({ provider, onChanged, ...choices }: RowProps) {
  const isChanging = useSignal(false);
  const isDeleting = useSignal(false);
  return (
    <tr>
      <th scope="row">{provider.Name}</th>
      <td>{provider.Issuer}</td>
      <td>
        <div class="row">
          <button type="button" aria-label={t('Edit {0}', provider.Name)} onClick={() => (isChanging.value = true)}>
            {t('Edit')}
          </button>
          <button type="button" aria-label={t('Delete {0}', provider.Name)} onClick={() => (isDeleting.value = true)}>
            {t('Delete')}
          </button>
        </div>
        {isChanging.value && (
          <Form {...choices} provider={provider} onSaved={onChanged} onClose={() => (isChanging.value = false)} />
        )}
        {isDeleting.value && (
          <DeleteDialog provider={provider} onDeleted={onChanged} onClose={() => (isDeleting.value = false)} />
        )}
      </td>
    </tr>
  );
}

type DeleteProps = { provider: SignInProviderModel; onDeleted: () => void; onClose: () => void };

function DeleteDialog({ provider, onDeleted, onClose }: DeleteProps) {
  const { isBusy, error, run } = useAction();
  const remove = async () => {
    if (!(await run(() => api('DELETE', `/sign-in-providers/${provider.Id}`)))) return;
    onClose();
    onDeleted();
  };
  return (
    <Dialog title={t('Delete {0}', provider.Name)} onClose={onClose}>
      <p>{t('People keep their sessions and roles. People without a password can no longer sign in.')}</p>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <div class="row end">
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void remove()}>
          {t('Delete provider')}
        </button>
      </div>
    </Dialog>
  );
}

type Draft = {
  Name: string;
  Issuer: string;
  ClientId: string;
  secret: string;
  domains: string;
  trustsEmail: boolean;
  role: string;
  claim: string;
  groups: readonly { group: string; role: string; scope: string }[];
};

const NOBODY = 'none';

function draftOf(provider: SignInProviderModel | null): Draft {
  return {
    Name: provider?.Name ?? '',
    Issuer: provider?.Issuer ?? '',
    ClientId: provider?.ClientId ?? '',
    secret: '',
    domains: provider?.EmailDomains.join(', ') ?? '',
    trustsEmail: provider?.TrustsEmail ?? false,
    role: provider?.DefaultRole ?? NOBODY,
    claim: provider?.GroupClaim ?? '',
    groups: (provider?.GroupRoles ?? []).map(({ Group, Role, LibraryId }) => ({
      group: Group,
      role: Role,
      scope: LibraryId == null ? 'all' : String(LibraryId),
    })),
  };
}

function bodyOf({ secret, domains, trustsEmail, role, claim, groups, ...plain }: Draft): object {
  return {
    ...plain,
    ...(secret !== '' && { ClientSecret: secret }),
    EmailDomains: domains.split(/[\s,]+/).filter((domain) => domain !== ''),
    TrustsEmail: trustsEmail,
    DefaultRole: role === NOBODY ? null : role,
    GroupClaim: claim === '' ? null : claim,
    GroupRoles: groups
      .filter(({ group }) => group !== '')
      .map((each) => ({
        Group: each.group,
        Role: each.role,
        LibraryId: each.scope === 'all' ? null : Number(each.scope),
      })),
  };
}

type FormProps = Props & { provider: SignInProviderModel | null; onSaved: () => void; onClose: () => void };

function Form({ provider, roles, scopes, onSaved, onClose }: FormProps) {
  const draft = useSignal(draftOf(provider));
  const { isBusy, error, run } = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    const path = provider === null ? '/sign-in-providers' : `/sign-in-providers/${provider.Id}`;
    if (!(await run(() => api('POST', path, bodyOf(draft.value))))) return;
    toast(t('Saved.'));
    onClose();
    onSaved();
  };
  return (
    <Dialog title={provider === null ? t('Add provider') : t('Edit {0}', provider.Name)} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        {provider !== null && (
          <>
            <CopyField label={t('Callback URL (register it at the provider)')} text={fullLink(provider.CallbackUrl)} />
            <CopyField label={t('Back-channel logout URL (optional)')} text={fullLink(provider.LogoutUrl)} />
          </>
        )}
        <ClientFields draft={draft} isNew={provider === null} />
        <PeopleFields draft={draft} roles={roles} />
        <GroupFields draft={draft} roles={roles} scopes={scopes} />
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        <div class="row end">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t('Save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type FieldsProps = { draft: Signal<Draft> };
const changeOf = (draft: Signal<Draft>) => (change: Partial<Draft>) => {
  draft.value = { ...draft.value, ...change };
};

function ClientFields({ draft, isNew }: FieldsProps & { isNew: boolean }) {
  const { Name, Issuer, ClientId, secret } = draft.value;
  const change = changeOf(draft);
  return (
    <>
      <TextField label={t('Name')} value={Name} onChange={(text) => change({ Name: text })} />
      <TextField label={t('Issuer URL')} value={Issuer} onChange={(text) => change({ Issuer: text })} />
      <TextField label={t('Client id')} value={ClientId} onChange={(text) => change({ ClientId: text })} />
      <TextField
        label={t('Client secret')}
        isSecret
        value={secret}
        {...(!isNew && { hint: t('Leave empty to keep the stored secret.') })}
        onChange={(text) => change({ secret: text })}
      />
    </>
  );
}

function PeopleFields({ draft, roles }: FieldsProps & { roles: Choices }) {
  const { domains, trustsEmail, role } = draft.value;
  const change = changeOf(draft);
  return (
    <>
      <TextField
        label={t('Accepted domains')}
        hint={t('Separated by commas. Leave empty to allow all addresses.')}
        value={domains}
        onChange={(text) => change({ domains: text })}
      />
      <Check
        label={t('Addresses without email_verified count as verified')}
        hint={t('Only for providers that set all addresses themselves.')}
        value={trustsEmail}
        onChange={(isOn) => change({ trustsEmail: isOn })}
      />
      <SelectField
        label={t('Role without an invitation')}
        hint={t('New people get this role the first time they sign in.')}
        value={role}
        choices={[[NOBODY, t('None: an invitation or a group is needed')], ...roles.filter(([one]) => one !== 'owner')]}
        onChange={(chosen) => change({ role: chosen })}
      />
    </>
  );
}

function GroupFields({ draft, roles, scopes }: FieldsProps & Props) {
  const { claim, groups } = draft.value;
  const change = changeOf(draft);
  const changeGroup = (at: number, changed: Partial<Draft['groups'][number]>) =>
    change({ groups: groups.map((each, index) => (index === at ? { ...each, ...changed } : each)) });
  return (
    <>
      <TextField
        label={t('Groups claim')}
        hint={t('For example, groups. If empty, groups are ignored.')}
        value={claim}
        onChange={(text) => change({ claim: text })}
      />
      {groups.map(({ group, role, scope }, at) => (
        <div class="row" key={at}>
          <TextField
            label={t('Group {0}', at + 1)}
            value={group}
            onChange={(text) => changeGroup(at, { group: text })}
          />
          <SelectField
            label={t('Role of group {0}', at + 1)}
            value={role}
            choices={roles}
            onChange={(chosen) => changeGroup(at, { role: chosen })}
          />
          <SelectField
            label={t('Library of group {0}', at + 1)}
            value={scope}
            choices={scopes}
            onChange={(chosen) => changeGroup(at, { scope: chosen })}
          />
          <button
            type="button"
            aria-label={t('Delete group {0}', at + 1)}
            onClick={() => change({ groups: groups.filter((_each, index) => index !== at) })}
          >
            {t('Delete')}
          </button>
        </div>
      ))}
      {claim !== '' && (
        <div class="row">
          <button
            type="button"
            onClick={() => change({ groups: [...groups, { group: '', role: 'viewer', scope: 'all' }] })}
          >
            {t('Add group')}
          </button>
        </div>
      )}
    </>
  );
}
