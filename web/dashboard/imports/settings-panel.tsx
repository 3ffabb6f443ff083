import { useSignal } from '@preact/signals';
import type { RestoredSettingsModel } from '../../../src/api/models/portable-settings.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { prefix } from '../base/router.ts';
import { Panel, Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type Chosen = { fileName: string; settings: unknown; plan: RestoredSettingsModel };

/** Downloads the settings of a library, and restores those of a file after showing the changes. */
export function SettingsPanel({ libraryId }: { libraryId: number }) {
  const path = `/library/${libraryId}/settings`;
  const running = useAction();
  const chosen = useSignal<Chosen | null>(null);
  const choose = (file: File | undefined) => {
    chosen.value = null;
    if (file === undefined) return;
    void running.run(async () => {
      const settings = readJson(await file.text());
      const plan = await api<RestoredSettingsModel>('POST', `${path}?dryRun=true`, settings);
      chosen.value = { fileName: file.name, settings, plan };
    });
  };
  const restore = (settings: unknown) =>
    running.run(async () => {
      const { postponed } = await api<RestoredSettingsModel>('POST', path, settings);
      chosen.value = null;
      toast(postponed.length === 0 ? t('Settings restored.') : t('Settings restored, except those of feeds.'));
    });
  return (
    <Panel
      title={t('Library settings')}
      hint={t('An export has the settings in library.json. Restore them before the import of a bucket.')}
    >
      <div class="row" data-settings>
        <label class="button">
          {t('Choose library.json')}
          <input
            type="file"
            class="unseen"
            accept="application/json,.json"
            onChange={({ currentTarget }) => {
              choose(currentTarget.files?.[0]);
              // The same file can be chosen again after a correction.
              currentTarget.value = '';
            }}
          />
        </label>
        <a class="button quiet" href={`${prefix}${path}`} download="library.json">
          {t('Download library.json')}
        </a>
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
      {chosen.value !== null && (
        <Changes chosen={chosen.value} isBusy={running.isBusy.value} onRestore={(settings) => void restore(settings)} />
      )}
    </Panel>
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(t('The file is not JSON. Choose library.json of an export.'));
  }
}

type ChangesProps = { chosen: Chosen; isBusy: boolean; onRestore: (settings: unknown) => void };

function Changes({ chosen: { fileName, settings, plan }, isBusy, onRestore }: ChangesProps) {
  const { changes, postponed, isEmpty } = plan;
  return (
    <>
      {changes.length === 0 && <p>{t('The library already has the settings of {0}.', fileName)}</p>}
      {changes.length > 0 && (
        <div class="log-cards">
          <Table label={t('Changes')} head={[t('Setting'), t('Now'), t('In the file')]}>
            {changes.map(({ field, from, to }) => (
              <tr key={`${field} ${to}`}>
                <th scope="row">{field}</th>
                <td data-name={t('Now')}>{shown(from)}</td>
                <td data-name={t('In the file')}>{shown(to)}</td>
              </tr>
            ))}
          </Table>
        </div>
      )}
      {postponed.length > 0 && (
        <p class="hint">
          {t('Feeds of missing collections: {0}. Restore the settings again after the import.', postponed.length)}
        </p>
      )}
      {changes.length > 0 && !isEmpty && (
        <p class="hint">{t('This library has content. Existing videos keep their encoding.')}</p>
      )}
      {changes.length > 0 && (
        <div class="row">
          <button type="button" class="primary" disabled={isBusy} onClick={() => onRestore(settings)}>
            {t('Restore settings')}
          </button>
        </div>
      )}
    </>
  );
}

/** Maximum characters of a value. Images are long. */
const MAX_SHOWN_CHARS = 60;

function shown(value: string | null): string {
  if (value === null) return '–';
  return value.length <= MAX_SHOWN_CHARS ? value : `${value.slice(0, MAX_SHOWN_CHARS)}…`;
}
