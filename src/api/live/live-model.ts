import { Type } from 'typebox';
import type { Grant } from '../../catalog/keys/access-key.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LiveState, RelayRequest } from '../../catalog/live/live-stream.ts';
import type { IngestAddresses, LiveReportStore } from '../../catalog/live/streams/live-report-store.ts';
import type { LiveView } from '../../catalog/live/streams/live-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { type EdgeLocation, edgeFolderUrl } from '../addresses.ts';
import { wireTime } from '../models/answers.ts';
import { LiveStreamStatus } from '../models/enums.ts';
import type { IngestEndpoints, LiveStreamModel } from '../models/live-stream.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { loadZoneSigner, type ZoneSignerDeps } from '../zone-signer.ts';

export const LiveParams = Type.Object({ ...LibraryParams.properties, streamId: guidParam('live stream') });

const STATUS = {
  created: LiveStreamStatus.values.Created,
  scheduled: LiveStreamStatus.values.Scheduled,
  preview: LiveStreamStatus.values.Preview,
  running: LiveStreamStatus.values.Running,
  ended: LiveStreamStatus.values.Ended,
  'vod-processing': LiveStreamStatus.values.VodProcessing,
  error: LiveStreamStatus.values.Error,
} as const satisfies Record<LiveState, number>;

/**
 * `owner` sees stream keys, `reader` (a read-only key) sees them masked, `viewer` (no key) sees neither ingest
 * URLs nor relays.
 */
export type LiveAudience = 'owner' | 'reader' | 'viewer';

/** Context that the model of a stream needs in addition to the stream. */
export type LiveShowing = EdgeLocation & { ingestAddresses: readonly IngestAddresses[] };

export type LiveShowingDeps = ZoneSignerDeps & {
  libraries: LibraryStore;
  liveReports: LiveReportStore;
  edgeUrl: string;
};

/**
 * Returns the context for showing streams of a library to a caller at `address`. Throws `Refused` (`not-found`) if the
 * library does not exist.
 */
export async function recallLiveShowing(
  libraryId: number,
  address: string,
  deps: LiveShowingDeps,
): Promise<LiveShowing> {
  const [library, ingestAddresses] = await Promise.all([
    deps.libraries.recall(libraryId),
    deps.liveReports.ingestAddresses(),
  ]);
  if (library === null) throw new Refused('not-found', `Library ${libraryId} not found. Check the id.`);
  const signer = await loadZoneSigner(library, { address, hasPrivate: true }, deps);
  return { library, edgeUrl: deps.edgeUrl, signer, ingestAddresses };
}

export function audienceOf(grant: Grant | null): LiveAudience {
  if (grant === null) return 'viewer';
  return grant.scope === 'read' ? 'reader' : 'owner';
}

/** Converts a stream to its model in the API. */
export function toLiveModel(view: LiveView, showing: LiveShowing, audience: LiveAudience): LiveStreamModel {
  const { stream } = view;
  return {
    videoLibraryId: stream.libraryId,
    guid: stream.id,
    title: stream.title,
    description: stream.description,
    category: stream.category,
    collectionId: stream.collectionId,
    public: stream.isPublic,
    status: STATUS[stream.state],
    publisherState: publisherStateOf(view),
    dateCreated: wireTime(view.createdAt),
    scheduledStartTime: timeOrNull(stream.scheduledStartAt),
    scheduledEndTime: timeOrNull(stream.scheduledEndAt),
    startedAt: timeOrNull('startedAt' in stream ? stream.startedAt : null),
    endedAt: timeOrNull('endedAt' in stream ? stream.endedAt : null),
    durationSeconds: durationSecOf(view, Date.now()),
    streamKey: audience === 'owner' ? view.streamKey : maskKey(view.streamKey),
    playbackUrlHls: `${streamFolderUrl(view, showing)}playlist.m3u8`,
    dvrEnabled: stream.dvrEnabled,
    dvrWindowSeconds: stream.dvrWindowSec,
    recordVod: stream.recordVod,
    availableResolutions: view.availableResolutions,
    width: view.widthPx,
    height: view.heightPx,
    framerate: view.frameRate,
    ingestRegion: view.ingestRegion,
    peakConcurrentViewers: view.peakViewers,
    totalViewerSeconds: view.viewerSeconds,
    thumbnailFileName: view.thumbnailFileName,
    thumbnailUpdatedAt: timeOrNull(view.thumbnailUpdatedAt),
    enableCountdown: stream.countdownEnabled,
    rtmpOutputs: relaysFor(stream.relays, audience),
    preStreamTrailerVideoId: stream.trailerVideoId,
    ingestEndpoints: audience === 'viewer' ? null : endpointsOf(showing.ingestAddresses),
  };
}

function publisherStateOf({ ingest: { primaryLive, backupLive, firstMediaAt } }: LiveView): 'none' | 'live' | 'away' {
  if (primaryLive || backupLive) return 'live';
  return firstMediaAt === null ? 'none' : 'away';
}

/** Maximum length of a broadcast, in ms. */
const MAX_STREAM_MS = 12 * 3600 * 1000;

/** Returns the URL of a stream's folder, signed for the maximum duration of a stream. */
export function streamFolderUrl({ stream, visibility, durationMs }: LiveView, location: EdgeLocation): string {
  return edgeFolderUrl(location, { mediaId: stream.id, visibility, durationMs: durationMs ?? MAX_STREAM_MS });
}

/** Returns the whole seconds from the start to the end, or until now, or null before the start. */
export function durationSecOf({ stream, durationMs }: LiveView, nowMs: number): number | null {
  if (durationMs !== null) return Math.round(durationMs / 1000);
  return stream.state === 'running' ? Math.max(0, Math.round((nowMs - stream.startedAt.getTime()) / 1000)) : null;
}

function timeOrNull(time: Date | null): string | null {
  return time === null ? null : wireTime(time);
}

/** The prefix stays visible, so that the text is recognisable as a key. */
function maskKey(key: string): string {
  return key.replace(/[0-9a-f]+$/, (digits) => '*'.repeat(digits.length));
}

function relaysFor(relays: readonly RelayRequest[] | null, audience: LiveAudience) {
  if (relays === null || audience === 'viewer') return null;
  if (audience === 'owner') return [...relays];
  return relays.map((relay) =>
    // The last part of a relay URL is the key of another service.
    typeof relay === 'string' ? relay.replace(/[^/]*$/, '***') : { ...relay, streamKey: relay.streamKey && '***' },
  );
}

function endpointsOf(nodes: readonly IngestAddresses[]): IngestEndpoints {
  const addresses = (protocol: keyof IngestAddresses) => {
    const [primary, backup] = nodes.flatMap((node) => node[protocol] ?? []);
    return primary === undefined ? null : { primaryIngestUrl: primary, backupIngestUrl: backup ?? primary };
  };
  const [rtmps, srt, whip] = [addresses('rtmps'), addresses('srt'), addresses('whip')];
  return {
    rtmp: addresses('rtmp') ?? { primaryIngestUrl: null, backupIngestUrl: null },
    ...(rtmps !== null && { rtmps }),
    ...(srt !== null && { srt }),
    ...(whip !== null && { whip }),
  };
}
