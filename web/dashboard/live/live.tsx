import { useSignal } from '@preact/signals';
import type { LiveStreamModel, PaginationListOfLiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { day, plural } from '../base/words.ts';
import { CopyField, Empty, Link, Notice, Pager } from '../parts/parts.tsx';
import { VisibilityMark } from '../parts/visibility.tsx';
import { StreamActions } from './stream-actions.tsx';
import { StreamChip } from './stream-chip.tsx';

const PER_PAGE = 20;
/** Streams change when encoders send data, for which there is no event stream. */
const LOOK_AGAIN_MS = 5_000;

export function Live({ libraryId }: { libraryId: number }) {
  const page = useSignal(1);
  const path = `/library/${libraryId}/live`;
  const { value, error, again } = useLoaded<PaginationListOfLiveStreamModel>(
    `${path}?page=${page.value}&itemsPerPage=${PER_PAGE}`,
  );
  useRefresh(again, LOOK_AGAIN_MS);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Live streams')}</h1>
        {found !== null && <span class="hint">{plural(found.totalItems, 'stream')}</span>}
      </header>
      {mayWrite() && <NewStream path={path} onMade={again} />}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.items.length === 0 && (
        <Empty title={t('No live stream yet')}>
          <p>{t('Create one, enter its server URL and stream key in OBS or another encoder, then start it here.')}</p>
        </Empty>
      )}
      <div class="columns">
        {found?.items.map((stream) => (
          <Stream key={stream.guid} libraryId={libraryId} path={path} stream={stream} onChanged={again} />
        ))}
      </div>
      {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
    </>
  );
}

function NewStream({ path, onMade }: { path: string; onMade: () => void }) {
  const title = useSignal('');
  const creating = useAction();
  const create = (event: Event) => {
    event.preventDefault();
    void creating.run(async () => {
      await api('POST', path, { title: title.value, recordVod: true });
      title.value = '';
      onMade();
    });
  };
  return (
    <form class="row new" onSubmit={create}>
      <input
        aria-label={t('Stream title')}
        placeholder={t('Stream title')}
        required
        value={title.value}
        onInput={(event) => (title.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={creating.isBusy.value}>
        {t('Create stream')}
      </button>
      {creating.error.value !== null && <Notice kind="error">{creating.error.value}</Notice>}
    </form>
  );
}

type StreamProps = { libraryId: number; path: string; stream: LiveStreamModel; onChanged: () => void };

function Stream({ libraryId, path, stream, onChanged }: StreamProps) {
  const { guid, title, status, dateCreated, peakConcurrentViewers, playbackUrlHls } = stream;
  return (
    <section class="panel">
      <div class="card-head">
        <h2 dir="auto">
          {!stream.public && <VisibilityMark visibility="private" />}
          <Link to={{ name: 'live', libraryId, part: guid }}>{title}</Link>
        </h2>
        <StreamChip stream={stream} />
      </div>
      <p class="hint">
        {t('Created')} {day(dateCreated)}
        {peakConcurrentViewers !== null &&
          peakConcurrentViewers > 0 &&
          t(' · peak: {0}', plural(peakConcurrentViewers, 'viewer'))}
      </p>
      <CopyField label={t('Playlist')} text={playbackUrlHls} />
      <div class="row">
        <Link class="button" to={{ name: 'live', libraryId, part: guid }}>
          {mayWrite() ? t('URLs and stream key') : t('Open')}
        </Link>
        {mayWrite() && (
          <StreamActions path={`${path}/${guid}`} status={status} onChanged={onChanged} onDeleted={onChanged} />
        )}
      </div>
    </section>
  );
}
