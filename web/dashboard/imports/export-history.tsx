import type { ExportModel } from '../../../src/api/models/export.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { bytes, moment } from '../base/words.ts';
import { Notice } from '../parts/parts.tsx';

/** Names of the states of an export. They are translated. */
const WORDS: Readonly<Record<ExportModel['state'], string>> = {
  running: 'Running',
  cancelled: 'Cancelled',
  finished: 'Finished',
  failed: 'Failed',
};

type Props = { path: string; items: readonly ExportModel[]; onChanged: () => void };

/** Exports of the service, newest first, with their progress and their problems. */
export function ExportHistory({ path, items, onChanged }: Props) {
  return (
    <section class="stack" aria-label={t('Exports')}>
      {items.map((one) => (
        <OneExport key={one.guid} path={`${path}/${one.guid}`} report={one} onChanged={onChanged} />
      ))}
    </section>
  );
}

type OneProps = { path: string; report: ExportModel; onChanged: () => void };

function OneExport({ path, report, onChanged }: OneProps) {
  const { counts, state, reason, currentTitle } = report;
  const { total, exported, unchanged, empty, failed } = counts;
  return (
    <article class="panel stack" data-export-state={state}>
      <h3>
        {tr(WORDS[state])}: {report.address}
      </h3>
      <p class="facts">
        <span>{moment(report.dateCreated)}</span>
        <span>{t('Transferred: {0}', bytes(counts.sizeBytes))}</span>
        {currentTitle !== null && <span>{t('In transfer: {0}', currentTitle)}</span>}
      </p>
      <progress
        aria-label={t('Progress')}
        max={Math.max(1, total)}
        value={state === 'finished' ? Math.max(1, total) : exported + unchanged + empty + failed}
      />
      <p class="hint">{t('{0} exported, {1} unchanged, {2} failed, of {3}', exported, unchanged, failed, total)}</p>
      {reason !== null && <Notice kind="error">{reason}</Notice>}
      <Problems report={report} />
      <Controls path={path} report={report} onChanged={onChanged} />
    </article>
  );
}

function Problems({ report: { problems, counts } }: { report: ExportModel }) {
  if (problems.length === 0) return null;
  return (
    <details>
      <summary>{t('Videos that were not exported: {0}', counts.failed)}</summary>
      <ul>
        {problems.map(({ guid, title, reason }) => (
          <li key={guid}>
            {title}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Controls({ path, report: { state, counts }, onChanged }: OneProps) {
  const changing = useAction();
  const send = async (verb: 'cancel' | 'resume') => {
    if (await changing.run(() => api('POST', `${path}/${verb}`))) onChanged();
  };
  const isOver = state === 'finished' && counts.failed === 0;
  return (
    <>
      {changing.error.value !== null && <Notice kind="error">{changing.error.value}</Notice>}
      <div class="row">
        {state === 'running' ? (
          <button type="button" disabled={changing.isBusy.value} onClick={() => void send('cancel')}>
            {t('Cancel export')}
          </button>
        ) : (
          <button type="button" disabled={changing.isBusy.value} onClick={() => void send('resume')}>
            {isOver ? t('Export changes') : t('Resume export')}
          </button>
        )}
      </div>
    </>
  );
}
