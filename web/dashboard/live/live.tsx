import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type {
  LiveStreamModel,
  LiveStreamStatusModel,
  PaginationListOfLiveStreamModel,
} from '../../../src/api/models/live-stream.ts';
import { api, describeError } from '../base/api.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { day, plural } from '../base/words.ts';
import { CopyField, Empty, Notice, Pager } from '../parts/parts.tsx';

const PER_PAGE = 20;
/** Streams change by what encoders send; there is no stream of events for them. */
const LOOK_AGAIN_MS = 5_000;

/** LiveStreamStatus by its number, as people call it. */
const STATES = ['Unknown', 'Created', 'Scheduled', 'Preview', 'On air', 'Ended', 'Recording is made ready', 'Failed'];
const ON_AIR = 4;
const PREVIEW = 3;

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
        <h1>Live streams</h1>
        {found !== null && <span class="hint">{plural(found.totalItems, 'stream')}</span>}
      </header>
      {mayWrite() && <NewStream path={path} onMade={again} />}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.items.length === 0 && (
        <Empty title="No live stream yet">
          <p>Create one, put its address and key into OBS or another encoder, and start it here.</p>
        </Empty>
      )}
      <div class="columns">
        {found?.items.map((stream) => (
          <Stream key={stream.guid} path={path} stream={stream} onChanged={again} />
        ))}
      </div>
      {found !== null && (
        <Pager
          page={page.value}
          pages={Math.ceil(found.totalItems / PER_PAGE)}
          onPage={(next) => {
            page.value = next;
          }}
        />
      )}
    </>
  );
}

function NewStream({ path, onMade }: { path: string; onMade: () => void }) {
  const title = useSignal('');
  const error = useSignal<string | null>(null);
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      await api('POST', path, { title: title.value, recordVod: true });
      title.value = '';
      error.value = null;
      onMade();
    } catch (reason) {
      error.value = describeError(reason);
    }
  };
  return (
    <form class="row new" onSubmit={create}>
      <input
        aria-label="Title of the stream"
        placeholder="Title of a new stream"
        required
        value={title.value}
        onInput={(event) => (title.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Create stream
      </button>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </form>
  );
}

function Stream({ path, stream, onChanged }: { path: string; stream: LiveStreamModel; onChanged: () => void }) {
  const error = useSignal<string | null>(null);
  const act = async (method: string, action: string) => {
    try {
      await api(method, `${path}/${stream.guid}${action}`);
      error.value = null;
      onChanged();
    } catch (reason) {
      error.value = describeError(reason);
    }
  };
  const { rtmp, rtmps, srt, whip } = stream.ingestEndpoints ?? {};
  return (
    <section class="panel">
      <div class="row spread">
        <h2>{stream.title}</h2>
        <span class={`chip ${toneOf(stream.status)}`}>{STATES[stream.status] ?? 'Unknown'}</span>
      </div>
      <p class="hint">Created {day(stream.dateCreated)}</p>
      <ServerField label="Server (RTMP)" address={rtmp?.primaryIngestUrl} />
      <ServerField label="Server (RTMPS)" address={rtmps?.primaryIngestUrl} />
      <ServerField label="Server (SRT, add ?streamid= and the stream key)" address={srt?.primaryIngestUrl} />
      <ServerField label="Server (WHIP, the stream key is the bearer token)" address={whip?.primaryIngestUrl} />
      {mayWrite() && <CopyField label="Stream key" text={stream.streamKey} isSecret />}
      <CopyField label="Playlist" text={stream.playbackUrlHls} />
      {(stream.status === ON_AIR || stream.status === PREVIEW) && <Transcoding path={`${path}/${stream.guid}`} />}
      {mayWrite() && <StreamActions status={stream.status} act={act} />}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
    </section>
  );
}

/** Which further sizes viewers get, or why they get none. */
function Transcoding({ path }: { path: string }) {
  const { value, again } = useLoaded<LiveStreamStatusModel>(`${path}/status`);
  const refresh = useRef(again);
  refresh.current = again;
  useEffect(() => {
    const timer = setInterval(() => refresh.current(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const transcoding = value.value?.transcoding ?? null;
  if (transcoding === null || transcoding.state === 'none') return null;
  if (transcoding.reason !== null) return <Notice kind="error">{transcoding.reason}</Notice>;
  return <p class="hint">Further sizes: {transcoding.resolutions.replaceAll(',', ', ')}</p>;
}

/** Nothing where ingest does not listen for the protocol. */
function ServerField({ label, address }: { label: string; address: string | null | undefined }) {
  return address ? <CopyField label={label} text={address} /> : null;
}

type Act = (method: string, action: string) => Promise<void>;

function StreamActions({ status, act }: { status: number; act: Act }) {
  const isAsked = useSignal(false);
  if (status === ON_AIR) {
    return (
      <div class="row">
        <button type="button" class="bad" onClick={() => act('PUT', '/stop')}>
          Stop
        </button>
      </div>
    );
  }
  return (
    <div class="row">
      <button type="button" class="primary" onClick={() => act('PUT', '/start')}>
        Start
      </button>
      {isAsked.value ? (
        <>
          <button type="button" class="bad" onClick={() => act('DELETE', '')}>
            Delete for good
          </button>
          <button type="button" onClick={() => (isAsked.value = false)}>
            Keep it
          </button>
        </>
      ) : (
        <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
          Delete…
        </button>
      )}
    </div>
  );
}

function toneOf(status: number): string {
  if (status === ON_AIR) return 'good';
  if (status === PREVIEW || status === 6) return 'busy';
  return status === 7 ? 'bad' : '';
}
