import { useMemo } from 'preact/hooks';
import type {
  LiveStreamModel,
  LiveStreamStatusModel,
  ThumbnailListResponseModel,
} from '../../../src/api/models/live-stream.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { go } from '../base/router.ts';
import { mayWrite, session } from '../base/session.ts';
import { amount, clock, dateFormat, day, plural } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { CopyField, Link, Notice } from '../parts/parts.tsx';
import { TimeChart } from '../statistics/time-chart.tsx';
import { embedCode, playerAddress } from '../uploads/embed-code.ts';
import { Connect } from './connect.tsx';
import { describeHealth, type Sample } from './health.ts';
import { StreamActions } from './stream-actions.tsx';
import { StreamChip } from './stream-chip.tsx';
import { StreamSettings } from './stream-settings.tsx';
import { ENDED, ON_AIR, PREVIEW } from './stream-state.ts';

/** Streams change when encoders send data, for which there is no event stream. */
const LOOK_AGAIN_MS = 3_000;
const CHART_MS = 10 * 60_000;
const STILLS = 12;
/** Validity of the link to a stream that needs a token. */
const LINK_HOURS = 168;

/** A live stream: its player, the state of publishing in words, connection data for the encoder, and its settings. */
export function StreamPage({ libraryId, streamId }: { libraryId: number; streamId: string }) {
  const path = `/library/${libraryId}/live/${streamId}`;
  const { value, error, again } = useLoaded<LiveStreamModel>(path);
  useRefresh(again, LOOK_AGAIN_MS);
  const stream = value.value;
  if (stream === null) {
    return error.value === null ? <div class="player skeleton" /> : <Notice kind="error">{error.value}</Notice>;
  }
  const isOver = stream.status >= ENDED;
  return (
    <article class="video">
      <nav class="trail" aria-label={t('Breadcrumb')}>
        <Link to={{ name: 'live', libraryId }}>{t('Live streams')}</Link>
      </nav>
      <header class="video-header">
        <h1 dir="auto">{stream.title}</h1>
        <Facts stream={stream} />
      </header>
      <div class="video-stage stream">
        <div class="stage-player">
          <Preview libraryId={libraryId} streamId={streamId} status={stream.status} />
        </div>
        <div class="stack">
          {!isOver && <Health path={path} stream={stream} />}
          {isOver && stream.recordVod && (
            <Link class="button" to={{ name: 'video', libraryId, videoId: streamId }}>
              {t('Open recording')}
            </Link>
          )}
          {mayWrite() && (
            <StreamActions
              path={path}
              status={stream.status}
              onChanged={again}
              onDeleted={() => go({ name: 'live', libraryId })}
            />
          )}
        </div>
      </div>
      {(stream.status === ON_AIR || stream.status === PREVIEW) && <Rates path={path} />}
      <Stills path={path} />
      {!isOver && <Watch libraryId={libraryId} stream={stream} />}
      {!isOver && mayWrite() && (
        <div class="columns">
          <Connect path={path} stream={stream} onChanged={again} />
          <StreamSettings path={path} stream={stream} onSaved={again} />
        </div>
      )}
    </article>
  );
}

/** Link and code for viewers, who can open the page before the stream begins. */
function Watch({ libraryId, stream }: { libraryId: number; stream: LiveStreamModel }) {
  const path = `/dashboard/libraries/${libraryId}/videos/${stream.guid}/embed-address`;
  const { value } = useLoaded<{ address: string }>(`${path}?hours=${LINK_HOURS}&signed=${!stream.public}`);
  const address = playerAddress(session.value?.edgeUrl ?? location.origin, libraryId, stream.guid);
  const link = value.value?.address ?? address;
  const isSigned = new URL(link).searchParams.has('token');
  // Readers get a link that is valid for an hour.
  const signedLabel = mayWrite() ? t('Signed link, valid for 1 week') : t('Signed link');
  const shape = { width: stream.width ?? 0, height: stream.height ?? 0 };
  return (
    <Panel title={t('Share')} hint={t('The player waits for the stream, and shows the recording afterwards.')}>
      <CopyField label={isSigned ? signedLabel : t('Link')} text={link} />
      {stream.public && (
        <CopyField label={t('Embed code')} text={embedCode(address, { ...shape, title: stream.title })} />
      )}
    </Panel>
  );
}

/** The player. Before the start, only people with a role in the library see the picture, so that they can check it. */
function Preview({ libraryId, streamId, status }: { libraryId: number; streamId: string; status: number }) {
  const { value } = useLoaded<{ address: string }>(
    `/dashboard/libraries/${libraryId}/videos/${streamId}/embed-address?signed=true`,
  );
  const address = value.value?.address;
  if (address === undefined) return <div class="player skeleton" />;
  const source = new URL(address);
  source.searchParams.set('muted', 'true');
  source.searchParams.set('count', 'false');
  // Recreated when the stream begins or ends, because its content changes then.
  return (
    <iframe key={status} class="player" title={t('Stream preview')} src={source.href} allow="autoplay; fullscreen" />
  );
}

function Facts({ stream }: { stream: LiveStreamModel }) {
  const { width, height, framerate, durationSeconds, peakConcurrentViewers, publisherState, scheduledStartTime } =
    stream;
  return (
    <p class="facts">
      <StreamChip stream={stream} />
      {/* The time since the start says nothing while no encoder has sent media. */}
      {durationSeconds !== null && durationSeconds > 0 && publisherState !== 'none' && (
        <span>{clock(durationSeconds)}</span>
      )}
      {width !== null && height !== null && (
        <span>
          {width} × {height}
          {framerate !== null && t(', {0} fps', amount(framerate))}
        </span>
      )}
      {peakConcurrentViewers !== null && peakConcurrentViewers > 0 && (
        <span>{t('peak: {0}', plural(peakConcurrentViewers, 'viewer'))}</span>
      )}
      {scheduledStartTime !== null && <span>{t('scheduled for {0}', day(scheduledStartTime))}</span>}
      {stream.recordVod && <span>{stream.status >= ENDED ? t('was recorded') : t('recorded')}</span>}
    </p>
  );
}

function useSamples(path: string): readonly Sample[] {
  const startTime = useMemo(() => new Date(Date.now() - CHART_MS).toISOString(), []);
  const { value, again } = useLoaded<readonly Sample[]>(`${path}/bitrate-history?startTime=${startTime}`);
  useRefresh(again, LOOK_AGAIN_MS);
  return value.value ?? [];
}

function Health({ path, stream }: { path: string; stream: LiveStreamModel }) {
  const { value, again } = useLoaded<LiveStreamStatusModel>(`${path}/status`);
  const samples = useSamples(path);
  useRefresh(again, LOOK_AGAIN_MS);
  if (value.value === null) return null;
  const isOnAir = stream.status === ON_AIR;
  const hasBegun = stream.publisherState !== 'none' || samples.length > 0;
  return (
    <Panel title={t('Stream health')}>
      <ul class="findings" aria-label={t('Stream health')}>
        {describeHealth({ isOnAir, hasBegun, status: value.value, samples }).map(({ level, sentence }) => (
          <li key={sentence} class={`finding ${level}`}>
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const kbps = (value: number) => `${amount(value)} kbit/s`;
const fps = (value: number) => t('{0} fps', amount(value));

function Rates({ path }: { path: string }) {
  const samples = useSamples(path);
  if (samples.length < 2) return null;
  const of = (read: (sample: Sample) => number) =>
    Object.fromEntries(samples.map((sample) => [sample.timestamp, read(sample)]));
  return (
    <div class="columns">
      <Panel title={t('Bitrate')} hint={t('Received in the last 10 minutes.')}>
        <TimeChart label={t('Bitrate')} values={of(({ bitrate }) => bitrate / 1000)} name={kbps} />
      </Panel>
      <Panel title={t('Frames')} hint={t('Per second. A steady line means a healthy encoder.')}>
        <TimeChart label={t('Frames per second')} values={of((sample) => sample.fps)} name={fps} />
      </Panel>
    </div>
  );
}

function Stills({ path }: { path: string }) {
  const { value, again } = useLoaded<readonly ThumbnailListResponseModel[]>(`${path}/thumbnails?limit=${STILLS}`);
  useRefresh(again, LOOK_AGAIN_MS * 3);
  const stills = (value.value ?? []).filter(({ url }) => url !== null);
  if (stills.length === 0) return null;
  return (
    <Panel title={t('Stills')}>
      <ul class="stills">
        {stills.map(({ url, timestamp }) => (
          <li key={timestamp}>
            <img
              src={url ?? ''}
              alt={t('At {0}', dateFormat({ timeStyle: 'medium' }).format(new Date(timestamp)))}
              loading="lazy"
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
