import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BulkModel } from '../../../src/api/models/bulk.ts';
import { api } from '../base/api.ts';
import { said, t, tr } from '../base/language.ts';
import { amount, plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';

const LOOK_AGAIN_MS = 1_000;

const WORDS: Record<BulkModel['action'], string> = {
  move: 'Moving',
  visibility: 'Changing the visibility',
  trash: 'Moving to the trash',
  restore: 'Restoring',
  delete: 'Deleting',
  reencode: 'Queuing for encoding',
  retry: 'Retrying',
  cancel: 'Cancelling',
  transcribe: 'Queuing for transcription',
};

type Watched = { report: BulkModel; onChanged: () => void };

const watched = signal<readonly Watched[]>([]);

/** Shows an action's progress until it has ended, and its report until it is dismissed. */
export function watchBulk(report: BulkModel, onChanged: () => void): void {
  watched.value = [...watched.value, { report, onChanged }];
}

export function BulkProgress({ libraryId }: { libraryId: number }) {
  const isOpen = watched.value.some(({ report }) => report.dateEnded === null);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => void look(libraryId), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOpen, libraryId]);
  if (watched.value.length === 0) return null;
  return (
    <section class="bulk-reports" aria-label={t('Bulk actions')}>
      {watched.value.map(({ report }) => (
        <Report key={report.guid} report={report} />
      ))}
    </section>
  );
}

async function look(libraryId: number): Promise<void> {
  for (const { report, onChanged } of watched.value.filter(({ report: { dateEnded } }) => dateEnded === null)) {
    // A failed read is repeated a second later.
    const now = await api<BulkModel>('GET', `/library/${libraryId}/bulk/${report.guid}`).catch(() => null);
    if (now === null) continue;
    watched.value = watched.value.map((one) => (one.report.guid === now.guid ? { ...one, report: now } : one));
    if (now.done !== report.done || now.dateEnded !== null) onChanged();
    if (now.dateEnded !== null && now.failed === 0) dismiss(now.guid);
  }
}

function dismiss(guid: string): void {
  watched.value = watched.value.filter(({ report }) => report.guid !== guid);
}

function Report({ report }: { report: BulkModel }) {
  const isOpen = useSignal(false);
  const { guid, action, total, done, failed, dateEnded, failures } = report;
  return (
    <div class="panel bulk-report">
      <div class="row spread">
        <strong>{tr(WORDS[action])}</strong>
        <span class="hint">
          {t('{0} of {1}', amount(done + failed), amount(total))}
          {failed > 0 && t(' · {0} failed', amount(failed))}
        </span>
      </div>
      <progress value={done + failed} max={Math.max(1, total)} aria-label={tr(WORDS[action])} />
      {failed > 0 && (
        <div class="row">
          <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
            {t('Show failures')}
          </button>
          {dateEnded !== null && (
            <button type="button" class="quiet" onClick={() => dismiss(guid)}>
              {t('Dismiss')}
            </button>
          )}
        </div>
      )}
      {isOpen.value && (
        <Dialog title={t('Failed: {0}', plural(failed, 'video'))} class="wide" onClose={() => (isOpen.value = false)}>
          <ul class="rows">
            {failures.map(({ videoId, title, reason }) => (
              <li key={videoId}>
                <span>
                  {title ?? videoId}
                  <span class="hint block">{said(reason)}</span>
                </span>
              </li>
            ))}
          </ul>
          {failed > failures.length && <p class="hint">{t('Only the first {0} are shown.', failures.length)}</p>}
        </Dialog>
      )}
    </div>
  );
}
