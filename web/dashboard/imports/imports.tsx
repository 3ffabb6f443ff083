import { useSignal } from '@preact/signals';
import type {
  ImportDetailsModel,
  ImportItemModel,
  ImportModel,
  PaginationListOfImportModel,
} from '../../../src/api/models/import.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { prefix } from '../base/router.ts';
import { mayWrite } from '../base/session.ts';
import { bytes, clock, moment } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Link, Notice, Pager } from '../parts/parts.tsx';
import { ChangesTable } from './changes-table.tsx';
import { ExportPanel } from './export-panel.tsx';
import { ImportForm } from './import-form.tsx';
import { SettingsPanel } from './settings-panel.tsx';

const PER_PAGE = 50;
const REFRESH_MS = 2_000;
/** Names of the states of an import and of its items. They are translated. */
const WORDS: Readonly<Record<string, string>> = {
  listing: 'Reading the source',
  planned: 'Planned',
  running: 'Running',
  cancelling: 'Being cancelled',
  cancelled: 'Cancelled',
  finished: 'Finished',
  failed: 'Failed',
  waiting: 'Waiting',
  fetching: 'In transfer',
  imported: 'Imported',
  skipped: 'Skipped',
  same: 'Same as the source',
  different: 'Different',
  unplayable: 'Not playable',
  pending: 'Being encoded',
  deleted: 'Deleted',
};
const wordOf = (state: string) => tr(WORDS[state] ?? state);
/** A running import has a reason while it waits. */
const stateOf = ({ state, reason }: ImportModel) => wordOf(state === 'running' && reason !== null ? 'waiting' : state);
/** An upload of files has no source URL. */
const sourceOf = ({ address }: ImportModel) => (address === '' ? t('Uploaded files') : address);

/** Imports of a library: a form for a new one, and the progress of each. `part` is the open import. */
export function Imports({ libraryId, part }: { libraryId: number; part: string | undefined }) {
  const path = `/library/${libraryId}/imports`;
  if (part !== undefined) return <OneImport key={part} libraryId={libraryId} path={`${path}/${part}`} />;
  return <AllImports libraryId={libraryId} path={path} />;
}

function AllImports({ libraryId, path }: { libraryId: number; path: string }) {
  const page = useSignal(1);
  const { value, error, again, look } = useLoaded<PaginationListOfImportModel>(
    `${path}?page=${page.value}&itemsPerPage=${PER_PAGE}`,
  );
  useRefresh(look, REFRESH_MS);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Import')}</h1>
      </header>
      <div class="stack">
        {mayWrite() && <ImportForm libraryId={libraryId} path={path} onMade={again} />}
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {found?.items.length === 0 && (
          <p class="hint">
            {t('Pages that embed the videos need the new URL, and new ids if the source has no GUIDs.')}
          </p>
        )}
        {found !== null && found.items.length > 0 && (
          <Table label={t('Imports')} head={[t('Started'), t('Source'), t('State'), t('Progress')]}>
            {found.items.map((one) => (
              <tr key={one.guid} data-import={one.guid}>
                <td>
                  <Link to={{ name: 'imports', libraryId, part: one.guid }}>{moment(one.dateCreated)}</Link>
                </td>
                <td>{sourceOf(one)}</td>
                <td>{stateOf(one)}</td>
                <td>
                  <Progress counts={one.counts} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
        <SettingsPanel libraryId={libraryId} />
        <ExportPanel libraryId={libraryId} />
      </div>
    </>
  );
}

function Progress({ counts }: Pick<ImportModel, 'counts'>) {
  const { total, imported, skipped, failed } = counts;
  const ended = imported + skipped + failed;
  return (
    <span class="stack">
      <progress aria-label={t('Progress')} max={Math.max(1, total)} value={ended} />
      <span class="hint">{t('{0} imported, {1} skipped, {2} failed, of {3}', imported, skipped, failed, total)}</span>
    </span>
  );
}

function OneImport({ libraryId, path }: { libraryId: number; path: string }) {
  const page = useSignal(1);
  const state = useSignal('');
  const { value, error, again, look } = useLoaded<ImportDetailsModel>(
    `${path}?page=${page.value}&itemsPerPage=${PER_PAGE}&state=${state.value}`,
  );
  useRefresh(look, REFRESH_MS);
  const found = value.value;
  const choices = ['', 'waiting', 'fetching', 'imported', 'skipped', 'failed'];
  return (
    <>
      <header class="place">
        <h1>{t('Import')}</h1>
        <Link to={{ name: 'imports', libraryId }}>{t('All imports')}</Link>
      </header>
      <div class="stack">
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {found !== null && <Summary report={found} path={path} onChanged={again} />}
        <SelectField
          label={t('Outcome')}
          value={state.value}
          choices={choices.map((one) => [one, one === '' ? t('All') : wordOf(one)])}
          onChange={(to) => {
            state.value = to;
            page.value = 1;
          }}
        />
        {found !== null && <Items libraryId={libraryId} items={found.items} />}
        {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
      </div>
    </>
  );
}

type SummaryProps = { report: ImportDetailsModel; path: string; onChanged: () => void };

function Summary({ report, path, onChanged }: SummaryProps) {
  const changing = useAction();
  const send = async (verb: 'cancel' | 'resume') => {
    if (await changing.run(() => api('POST', `${path}/${verb}`))) onChanged();
  };
  const { counts, dateEnded, source, state } = report;
  return (
    <section class="panel">
      <h2>{stateOf(report)}</h2>
      {report.reason !== null && <Notice kind={dateEnded === null ? 'warn' : 'error'}>{report.reason}</Notice>}
      <p class="facts">
        <span>{sourceOf(report)}</span>
        <span>{t('Items: {0}', counts.total)}</span>
        <span>{bytes(counts.sizeBytes)}</span>
        <span>{clock(counts.durationSeconds)}</span>
        {report.remainingSeconds !== null && <span>{t('About {0} left', clock(report.remainingSeconds))}</span>}
        {counts.unknownSizes > 0 && <span>{t('Unknown sizes: {0}', counts.unknownSizes)}</span>}
      </p>
      <Progress counts={counts} />
      {report.notImported.length > 0 && (
        <details>
          <summary>{t('Not imported')}</summary>
          <ul>
            {report.notImported.map((loss) => (
              <li key={loss}>{tr(loss)}</li>
            ))}
          </ul>
        </details>
      )}
      {report.settings !== null && <SettingsOfSource settings={report.settings} />}
      {changing.error.value !== null && <Notice kind="error">{changing.error.value}</Notice>}
      <div class="row">
        {dateEnded === null ? (
          <button type="button" disabled={changing.isBusy.value} onClick={() => void send('cancel')}>
            {t('Cancel import')}
          </button>
        ) : source === 'upload' ? (
          state !== 'finished' && <p class="hint">{t('Run the command again to upload the files.')}</p>
        ) : (
          <button type="button" class="primary" disabled={changing.isBusy.value} onClick={() => void send('resume')}>
            {state === 'planned' ? t('Start import') : t('Resume import')}
          </button>
        )}
        <a class="button quiet" href={`${prefix}${path}/report`} download="import.csv">
          {t('Report as CSV')}
        </a>
      </div>
    </section>
  );
}

const SETTINGS_TITLES = {
  planned: 'Settings that will be restored: {0}',
  restored: 'Restored settings: {0}',
  kept: 'The library keeps its settings. Settings that differ: {0}',
} as const;

function SettingsOfSource({ settings }: { settings: NonNullable<ImportDetailsModel['settings']> }) {
  const { state, changes, leftOut, reason } = settings;
  if (state === 'failed') {
    return <Notice kind="error">{`${t('The settings of the source could not be restored.')} ${reason ?? ''}`}</Notice>;
  }
  return (
    <details>
      <summary>{t(SETTINGS_TITLES[state], changes.length)}</summary>
      {changes.length > 0 && <ChangesTable changes={changes} wanted={t('At the source')} />}
      <ul>
        {leftOut.map(({ field, reason: why }) => (
          <li key={`${field} ${why}`}>
            <code>{field}</code> {t('Not imported')}: {tr(why)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Items({ libraryId, items }: { libraryId: number; items: readonly ImportItemModel[] }) {
  return (
    <Table label={t('Items')} head={[t('Title'), t('Outcome'), t('Comparison'), t('Reason')]}>
      {items.map((item) => (
        <tr key={item.sourceId} data-state={item.state}>
          <td>
            {item.state === 'imported' && item.kind === 'video' ? (
              <Link to={{ name: 'video', libraryId, videoId: item.guid }}>{item.title}</Link>
            ) : (
              item.title
            )}
          </td>
          <td>{wordOf(item.state)}</td>
          <td>{item.check === null ? '' : wordOf(item.check)}</td>
          <td>{[item.reason, ...item.notes].filter((text) => text !== null).join(' ')}</td>
        </tr>
      ))}
    </Table>
  );
}
