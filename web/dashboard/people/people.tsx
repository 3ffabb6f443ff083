import { useSignal } from '@preact/signals';
import type { Static } from 'typebox';
import type { PaginationListModelOfPersonModel, PersonModel } from '../../../src/api/models/person.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { fullLink } from '../base/full-link.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { libraries, may, session } from '../base/session.ts';
import { moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Panel, SelectField, Table } from '../parts/fields.tsx';
import { CopyField, Notice, Pager } from '../parts/parts.tsx';
import { SecretField } from '../parts/secret-field.tsx';
import { toast } from '../parts/toasts.tsx';
import { AccountAudit } from './account-audit.tsx';
import { Providers } from './providers.tsx';

const PER_PAGE = 50;
const ROLES = [
  ['owner', 'Owner'],
  ['admin', 'Administrator'],
  ['editor', 'Editor'],
  ['uploader', 'Uploader'],
  ['analyst', 'Analyst'],
  ['viewer', 'Viewer'],
] as const;
const STATUSES: Readonly<Record<string, string>> = { invited: 'Invited', active: 'Active', disabled: 'Disabled' };
type People = Static<typeof PaginationListModelOfPersonModel>;

/** People who can sign in, with invitations and roles. */
export function People() {
  const page = useSignal(1);
  const link = useSignal<string | null>(null);
  const { value, error, again } = useLoaded<People>(`/people?page=${page.value}&perPage=${PER_PAGE}`);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('People')}</h1>
      </header>
      <div class="stack">
        <Invite
          onInvited={(made) => {
            link.value = made;
            again();
          }}
        />
        {link.value !== null && (
          <Notice kind="done">
            <p>{t('Send this link to the person. It works once, within a week.')}</p>
            <CopyField label={t('Link (shown only once)')} text={link.value} />
          </Notice>
        )}
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {found !== null && found.Items.length > 0 && (
          <div class="log-cards people">
            <Table
              label={t('People')}
              head={[t('E-mail address'), t('Name'), t('Role'), t('State'), t('Last seen'), t('Actions')]}
            >
              {found.Items.map((person) => (
                <Row key={person.Id} person={person} onChanged={again} onLink={(made) => (link.value = made)} />
              ))}
            </Table>
          </div>
        )}
        {found !== null && <Pager page={page} total={found.TotalItems} perPage={PER_PAGE} />}
        {may('sign-in.manage') && <Providers roles={roleChoices()} scopes={scopeChoices()} />}
        {may('account.manage') && <AccountAudit />}
      </div>
    </>
  );
}

function roleChoices() {
  const isOwner = session.value?.person == null || session.value.person.role === 'owner';
  return trAll(ROLES.filter(([role]) => isOwner || role !== 'owner'));
}

/** `all`, or the id of the only library for which the role applies. */
function rolesOf(role: string, scope: string): object {
  if (scope === 'all') return { Role: role, LibraryRoles: [] };
  return { Role: null, LibraryRoles: [{ LibraryId: Number(scope), Role: role }] };
}

function scopeChoices() {
  return [['all', t('All libraries')] as const, ...libraries.value.map(({ id, name }) => [String(id), name] as const)];
}

function Invite({ onInvited }: { onInvited: (link: string) => void }) {
  const email = useSignal('');
  const role = useSignal('editor');
  const scope = useSignal('all');
  const { isBusy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const wanted = { Email: email.value, ...rolesOf(role.value, scope.value) };
      const { Link } = await api<{ Link: string }>('POST', '/people', wanted);
      email.value = '';
      onInvited(fullLink(Link));
    });
  };
  return (
    <Panel title={t('Invite a person')}>
      <form class="stack" onSubmit={submit}>
        <div class="columns tight">
          <SecretField label={t('E-mail address')} type="email" autocomplete="off" value={email} />
          <RoleFields role={role} scope={scope} />
        </div>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t('Create link')}
          </button>
        </div>
      </form>
      <details>
        <summary>{t('Roles')}</summary>
        <ul class="hint">
          <li>{t('Owners can do everything. Administrators cannot change owners or delete libraries.')}</li>
          <li>{t('Editors change videos and live streams and see statistics. Uploaders only add videos.')}</li>
          <li>{t('Analysts see videos and statistics. Viewers only see videos.')}</li>
        </ul>
      </details>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </Panel>
  );
}

type RoleProps = { role: { value: string }; scope: { value: string } };

function RoleFields({ role, scope }: RoleProps) {
  return (
    <>
      <SelectField
        label={t('Role')}
        value={role.value}
        choices={roleChoices()}
        onChange={(chosen) => (role.value = chosen)}
      />
      <SelectField
        label={t('In')}
        value={scope.value}
        choices={scopeChoices()}
        onChange={(chosen) => (scope.value = chosen)}
      />
    </>
  );
}

type RowProps = { person: PersonModel; onChanged: () => void; onLink: (link: string) => void };

function Row({ person, onChanged, onLink }: RowProps) {
  const isChanging = useSignal(false);
  const isDeleting = useSignal(false);
  const path = `/people/${person.Id}`;
  const { error, run } = useAction();
  const change = (body: object) =>
    run(async () => {
      await api('POST', path, body);
      toast(t('Saved.'));
      onChanged();
    });
  const renew = () =>
    run(async () => onLink(fullLink((await api<{ Link: string }>('POST', `${path}/invitation`)).Link)));
  return (
    <tr>
      <th scope="row">{person.Email}</th>
      <td>{person.Name}</td>
      <td>{describeRoles(person)}</td>
      <td>{tr(STATUSES[person.Status] ?? person.Status)}</td>
      <td class="time">{person.DateLastSeen === null ? t('never') : moment(person.DateLastSeen)}</td>
      <td>
        <div class="row person-actions">
          <button
            type="button"
            class="quiet"
            aria-label={t('Change role of {0}', person.Email)}
            onClick={() => (isChanging.value = true)}
          >
            {t('Change role')}
          </button>
          {person.Status !== 'disabled' && (
            <button type="button" class="quiet" aria-label={t('New link for {0}', person.Email)} onClick={renew}>
              {t('New link')}
            </button>
          )}
          <button
            type="button"
            class="quiet"
            aria-label={t(person.Status === 'disabled' ? 'Enable {0}' : 'Disable {0}', person.Email)}
            onClick={() => void change({ Status: person.Status === 'disabled' ? 'active' : 'disabled' })}
          >
            {person.Status === 'disabled' ? t('Enable') : t('Disable')}
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={t('Delete {0}', person.Email)}
            onClick={() => (isDeleting.value = true)}
          >
            {t('Delete')}
          </button>
        </div>
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {isChanging.value && (
          <RoleDialog person={person} onChange={change} onClose={() => (isChanging.value = false)} />
        )}
        {isDeleting.value && (
          <DeleteDialog person={person} onDeleted={onChanged} onClose={() => (isDeleting.value = false)} />
        )}
      </td>
    </tr>
  );
}

function describeRoles({ Role: role, LibraryRoles: roles }: PersonModel): string {
  const nameOf = (wanted: string) => tr(ROLES.find(([one]) => one === wanted)?.[1] ?? wanted);
  const names = roles.map(({ LibraryId, Role: own }) => {
    const library = libraries.value.find(({ id }) => id === LibraryId)?.name ?? t('Library {0}', LibraryId);
    return `${nameOf(own)} (${library})`;
  });
  return [...(role === null ? [] : [nameOf(role)]), ...names].join(', ') || t('none');
}

type DialogProps = { person: PersonModel; onClose: () => void };

function RoleDialog({ person, onChange, onClose }: DialogProps & { onChange: (body: object) => Promise<boolean> }) {
  const [first] = person.LibraryRoles;
  const role = useSignal<string>(person.Role ?? first?.Role ?? 'viewer');
  const scope = useSignal(person.Role !== null || first === undefined ? 'all' : String(first.LibraryId));
  const save = async () => {
    await onChange(rolesOf(role.value, scope.value));
    onClose();
  };
  return (
    <Dialog title={t('Change role of {0}', person.Email)} onClose={onClose}>
      <div class="stack">
        <RoleFields role={role} scope={scope} />
        {person.LibraryRoles.length > 1 && <p class="hint">{t('This replaces all roles of the person.')}</p>}
        <div class="row end">
          <button type="button" class="primary" onClick={() => void save()}>
            {t('Save')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function DeleteDialog({ person, onDeleted, onClose }: DialogProps & { onDeleted: () => void }) {
  const { isBusy, error, run } = useAction();
  const remove = async () => {
    if (!(await run(() => api('DELETE', `/people/${person.Id}`)))) return;
    onClose();
    onDeleted();
  };
  return (
    <Dialog title={t('Delete {0}', person.Email)} onClose={onClose}>
      <p>{t('The person is signed out everywhere. Videos stay. Library keys that the person knows stay valid.')}</p>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <div class="row end">
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void remove()}>
          {t('Delete person')}
        </button>
      </div>
    </Dialog>
  );
}
