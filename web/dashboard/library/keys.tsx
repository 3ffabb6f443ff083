import { useSignal } from '@preact/signals';
import type { AccessKeyModel, NewAccessKeyModel } from '../../../src/api/models/access-key.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { day } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Panel, SelectField, Table, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const SCOPES = [
  ['read', 'Read only'],
  ['write', 'Read and write'],
] as const;

/** Time for which a replaced key still grants access to the library, in seconds. Its signatures are no longer valid. */
const OVERLAP_SEC = 24 * 3600;

const OWN_KEYS = {
  resetApiKey: {
    name: 'Reset API key',
    effect: 'Uploads must be signed with the new key.',
  },
  resetReadOnlyApiKey: {
    name: 'Reset read-only key',
    effect: 'Webhooks will be signed with the new key. Use it to verify them.',
  },
} as const;
type OwnKey = keyof typeof OWN_KEYS;

type Props = { libraryId: number; library: VideoLibraryModel; onChanged: () => void };

/** The library's own keys, and additional ones that can be revoked individually. */
export function Keys({ libraryId, library, onChanged }: Props) {
  const path = `/videolibrary/${libraryId}/keys`;
  const { value, error, again } = useLoaded<AccessKeyModel[]>(path);
  const revoking = useAction();
  const asked = useSignal<OwnKey | null>(null);
  const change = () => {
    toast(t('Key reset. Show or copy the new key here.'));
    onChanged();
    // The previous key is now an additional key until it expires.
    again();
  };
  const revoke = (id: string) =>
    revoking.run(async () => {
      await api('DELETE', `${path}/${id}`);
      again();
    });
  return (
    <div class="stack">
      <div class="columns">
        <Panel title={t('Library keys')} hint={t('For server-side use. Never put them on a web page.')}>
          <CopyField label={t('API key')} text={library.ApiKey ?? ''} isSecret />
          <CopyField label={t('Read-only key')} text={library.ReadOnlyApiKey ?? ''} isSecret />
          <div class="row">
            <button type="button" onClick={() => (asked.value = 'resetApiKey')}>
              {t('Reset API key')}
            </button>
            <button type="button" onClick={() => (asked.value = 'resetReadOnlyApiKey')}>
              {t('Reset read-only key')}
            </button>
          </div>
          <p class="hint">
            {t('The old key still gives access for one day, but no longer signs uploads or webhooks.')}
          </p>
        </Panel>
        <NewKey path={path} onMade={again} />
      </div>
      {asked.value !== null && (
        <ReplaceDialog
          which={asked.value}
          libraryId={libraryId}
          onReplaced={change}
          onClose={() => (asked.value = null)}
        />
      )}
      {(error.value ?? revoking.error.value) !== null && (
        <Notice kind="error">{error.value ?? revoking.error.value}</Notice>
      )}
      {(value.value ?? []).length > 0 && (
        <Table
          label={t('Additional keys')}
          head={[t('Name'), t('Permissions'), t('Created'), t('Last used'), t('Expires'), t('Actions')]}
        >
          {value.value?.map((key) => (
            <tr key={key.Id}>
              <th scope="row">{key.Label || key.Id}</th>
              <td>{tr(SCOPES.find(([scope]) => scope === key.Scope)?.[1] ?? key.Scope)}</td>
              <td>{day(key.DateCreated)}</td>
              <td>{key.DateLastUsed === null ? t('never') : day(key.DateLastUsed)}</td>
              <td>{key.DateExpires === null ? '' : day(key.DateExpires)}</td>
              <td>
                <button type="button" aria-label={t('Revoke {0}', key.Label || key.Id)} onClick={() => revoke(key.Id)}>
                  {t('Revoke')}
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}

type ReplaceProps = { which: OwnKey; libraryId: number; onReplaced: () => void; onClose: () => void };

/** Asks for confirmation before a key is replaced, because signatures of the old key become invalid immediately. */
function ReplaceDialog({ which, libraryId, onReplaced, onClose }: ReplaceProps) {
  const replacing = useAction();
  const { name, effect } = OWN_KEYS[which];
  const replace = async () => {
    const path = `/videolibrary/${libraryId}/${which}?overlapSec=${OVERLAP_SEC}`;
    if (!(await replacing.run(() => api('POST', path)))) return;
    onReplaced();
    onClose();
  };
  return (
    <Dialog title={t(name)} onClose={onClose}>
      <p>{t(effect)}</p>
      <p class="hint">{t('The old key still gives access for one day, but no longer signs uploads or webhooks.')}</p>
      {replacing.error.value !== null && <Notice kind="error">{replacing.error.value}</Notice>}
      <div class="row end">
        <button type="button" class="primary" disabled={replacing.isBusy.value} onClick={() => void replace()}>
          {t('Reset key')}
        </button>
      </div>
    </Dialog>
  );
}

function NewKey({ path, onMade }: { path: string; onMade: () => void }) {
  const label = useSignal('');
  const scope = useSignal('read');
  const made = useSignal<string | null>(null);
  const making = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    void making.run(async () => {
      const { Key } = await api<NewAccessKeyModel>('POST', path, { Label: label.value, Scope: scope.value });
      made.value = Key;
      onMade();
    });
  };
  return (
    <Panel title={t('Add a key')}>
      <form class="stack" onSubmit={make}>
        <TextField label={t('Name')} value={label.value} onChange={(text) => (label.value = text)} />
        <SelectField
          label={t('Permissions')}
          value={scope.value}
          choices={trAll(SCOPES)}
          onChange={(chosen) => (scope.value = chosen)}
        />
        <div class="row">
          <button type="submit" class="primary">
            {t('Create key')}
          </button>
        </div>
      </form>
      {made.value !== null && <CopyField label={t('New key (shown only once)')} text={made.value} />}
      {making.error.value !== null && <Notice kind="error">{making.error.value}</Notice>}
    </Panel>
  );
}
