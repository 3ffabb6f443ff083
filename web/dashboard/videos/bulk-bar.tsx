import { useSignal } from '@preact/signals';
import type { BulkModel, CreateBulkModel } from '../../../src/api/models/bulk.ts';
import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { useAction } from '../base/action.ts';
import { api, describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { session } from '../base/session.ts';
import { useHeightVariable } from '../base/use-height-variable.ts';
import { amount, plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import { BulkProgress, watchBulk } from './bulk-progress.tsx';
import { isFiltered, type ListQuery, toFilter } from './list-query.ts';
import { clearSelection, countSelected, dropSelection, selectAll, selection } from './selection.ts';

type ShownList = { libraryId: number; wanted: ListQuery; onChanged: () => void };
type Action = CreateBulkModel['action'];

/** Actions that require confirmation. */
const ASKED = {
  reencode: [
    'Re-encode',
    'Encodes each video from its original with the current settings. The old version plays until then.',
  ],
  retry: ['Retry failed parts', 'Failed videos are encoded again. Incomplete videos get only their missing parts.'],
  cancel: [
    'Cancel encoding',
    'Waiting and running encodes are stopped. Earlier versions and finished resolutions are kept.',
  ],
  transcribe: ['Transcribe', 'Transcribes videos without captions.'],
} as const;
type Asked = keyof typeof ASKED;

/** Actions on the selected videos. Each runs in the background with a report. */
export function BulkBar({ total, ...list }: ShownList & { total: number }) {
  const asked = useSignal<Asked | 'move' | 'edit' | null>(null);
  const running = useAction();
  const count = countSelected(total);
  const bar = useHeightVariable<HTMLElement>('--bulk-bar-px', count > 0);
  // The error of one dialog must not appear in the next.
  const ask = (next: typeof asked.value) => {
    running.error.value = null;
    asked.value = next;
  };
  const start = (action: Action, more: object = {}) =>
    running.run(async () => {
      const sent = selection.value;
      const made = await send(list, { action, ...more });
      watchBulk(made, list.onChanged);
      asked.value = null;
      dropSelection(sent);
      if (action === 'move') offerUndo(list, made, t('{0} in progress.', plural(made.total, 'video')));
    });
  const confirmed = asked.value === 'move' || asked.value === 'edit' ? null : asked.value;
  return (
    <>
      <BulkProgress libraryId={list.libraryId} />
      {count > 0 && (
        <section ref={bar} class="bulk-bar" aria-label={t('Selected videos')}>
          <strong>{t('{0} selected', amount(count))}</strong>
          {selection.value.kind === 'some' && count < total && (
            <button type="button" class="quiet" onClick={selectAll}>
              {t('Select all {0} matches', amount(total))}
            </button>
          )}
          <span class="push" />
          <button type="button" onClick={() => ask('edit')}>
            {t('Edit…')}
          </button>
          <button type="button" onClick={() => ask('move')}>
            {t('Move…')}
          </button>
          <button type="button" onClick={() => ask('reencode')}>
            {t('Re-encode…')}
          </button>
          <button type="button" onClick={() => ask('retry')}>
            {t('Retry…')}
          </button>
          <button type="button" onClick={() => ask('cancel')}>
            {t('Cancel encoding…')}
          </button>
          {session.value?.engines.speech === true && (
            <button type="button" onClick={() => ask('transcribe')}>
              {t('Transcribe…')}
            </button>
          )}
          <button type="button" disabled={running.isBusy.value} onClick={() => running.run(() => trashSelected(list))}>
            <Icon name="trash" /> {t('Trash')}
          </button>
          <button type="button" class="quiet icon-button" aria-label={t('Clear selection')} onClick={clearSelection}>
            <Icon name="close" />
          </button>
          {asked.value === null && running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
        </section>
      )}
      {asked.value === 'move' && (
        <MoveDialog
          libraryId={list.libraryId}
          count={count}
          error={running.error.value}
          onMove={(collectionId) => start('move', { collectionId })}
          onClose={() => ask(null)}
        />
      )}
      {asked.value === 'edit' && <BulkEdit {...list} onClose={() => ask(null)} />}
      {confirmed !== null && (
        <ConfirmDialog
          action={confirmed}
          count={count}
          error={running.error.value}
          onConfirm={() => start(confirmed)}
          onClose={() => ask(null)}
        />
      )}
    </>
  );
}

function send({ libraryId, wanted }: ShownList, body: object): Promise<BulkModel> {
  const { value } = selection;
  const scope = isFiltered(wanted) ? { filter: toFilter(wanted) } : { all: true };
  const which = value.kind === 'all' ? scope : { videoIds: [...value.ids] };
  return api<BulkModel>('POST', `/library/${libraryId}/bulk`, { ...body, ...which });
}

/** Moves the selection to the trash. The message that follows can undo it. */
export async function trashSelected(list: ShownList): Promise<void> {
  const sent = selection.value;
  const made = await send(list, { action: 'trash' });
  dropSelection(sent);
  watchBulk(made, list.onChanged);
  offerUndo(list, made, t('Moving {0} to the trash.', plural(made.total, 'video')));
}

/** Shows a message with a button that undoes the action for all its videos. */
export function offerUndo(list: Omit<ShownList, 'wanted'>, { guid }: BulkModel, text: string): void {
  toast(text, {
    label: t('Undo'),
    run: () => {
      const undo = api<BulkModel>('POST', `/library/${list.libraryId}/bulk`, { action: 'restore', undoOf: guid });
      undo.then(
        (undone) => watchBulk(undone, list.onChanged),
        (reason: unknown) => toast(t('Could not undo: {0}', describeError(reason))),
      );
    },
  });
}

type ConfirmProps = {
  action: Asked;
  count: number;
  error: string | null;
  onConfirm: () => void;
  onClose: () => void;
};

function ConfirmDialog({ action, count, error, onConfirm, onClose }: ConfirmProps) {
  const [name, words] = ASKED[action];
  return (
    <Dialog title={`${t(name)}: ${plural(count, 'video')}`} onClose={onClose}>
      <p>{t(words)}</p>
      <p class="hint">{t('Runs in the background. A report lists each video that failed.')}</p>
      {error !== null && <Notice kind="error">{error}</Notice>}
      <div class="row end">
        <button type="button" onClick={onClose}>
          {action === 'cancel' ? t('Back') : t('Cancel')}
        </button>
        <button type="button" class="primary" onClick={onConfirm}>
          {t(name)}
        </button>
      </div>
    </Dialog>
  );
}

type MoveProps = {
  libraryId: number;
  count: number;
  error: string | null;
  onMove: (collectionId: string) => void;
  onClose: () => void;
};

function MoveDialog({ libraryId, count, error, onMove, onClose }: MoveProps) {
  const { value } = useLoaded<PaginationListOfCollectionModel>(
    `/library/${libraryId}/collections?itemsPerPage=1000&orderBy=name`,
  );
  return (
    <Dialog title={t('Move {0}', plural(count, 'video'))} onClose={onClose}>
      {error !== null && <Notice kind="error">{error}</Notice>}
      <ul class="choices">
        <li>
          <button type="button" onClick={() => onMove('')}>
            {t('No collection')}
          </button>
        </li>
        {value.value?.items.map(({ guid, name, videoCount }) => (
          <li key={guid}>
            <button type="button" onClick={() => onMove(guid ?? '')}>
              <span>{name}</span> <span class="hint">{plural(videoCount, 'video')}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
