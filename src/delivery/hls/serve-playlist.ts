import { describeCaption, findCaption } from '../../catalog/captions/caption.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { isH264, rungOf } from '../../catalog/publications/rungs.ts';
import { type ClockRange, touches } from '../../media/hls/clock-range.ts';
import { type SegmentSpan, writeMediaPlaylist } from '../../media/hls/media-playlist.ts';
import { writeMultivariant } from '../../media/hls/multivariant.ts';
import { type SubtitleTrack, writeSubtitlePlaylist } from '../../media/hls/subtitle-playlist.ts';
import { type WallAnchor, wallAt } from '../../media/live/recording/wall-anchors.ts';
import { chooseListedSet, type ListedSet } from '../../media/presentation/listed-set.ts';
import { computeSegmentRun, type SegmentRun, targetDurationSec } from '../../media/presentation/segment-run.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import { listableRenditions } from '../drm/protection.ts';
import { type Answer, CACHE_NEVER, CACHE_NOTHING, CACHE_SHORTLY, notFound, toProblem } from '../http/answer.ts';
import {
  choosePlaylistVariant,
  type PlaylistVariantDeps,
  type PlaylistVariantRequest,
} from './choose-playlist-variant.ts';
import type { IFrameLists } from './i-frame-lists.ts';
import { CLEAR_VARIANT, type PlaylistVariant } from './playlist-variant.ts';
import { BAD_RANGE, rangedAddresses } from './ranged-addresses.ts';

const NO_CLOCK: Answer = { kind: 'problem', problem: toProblem('no-clock') };
const CONTENT_TYPE = 'application/vnd.apple.mpegurl';

type PlaylistFile =
  | { kind: 'multivariant' }
  | { kind: 'rung-playlist'; heightPx: number }
  | { kind: 'rendition-playlist'; renditionId: string; session: string | null }
  | { kind: 'captions-playlist'; language: string };

type PlaylistDeps = PlaylistVariantDeps & { written: HeldCache<Buffer>; iFrames: IFrameLists };
type Viewer = Omit<PlaylistVariantRequest, 'session' | 'isReread'>;

/** Serves a playlist of a publication. The text is generated once per publication and cached in `written`. */
export async function servePlaylist(
  publication: Publication,
  { file, viewer, range }: { file: PlaylistFile; viewer: Viewer; range: ClockRange | null | 'invalid' },
  deps: PlaylistDeps,
): Promise<Answer> {
  if (file.kind === 'captions-playlist') return serveCaptionsPlaylist(publication, file.language, deps.written);
  if (range === 'invalid') return BAD_RANGE;
  const { clock } = publication;
  if (range !== null && clock === undefined) return NO_CLOCK;
  const session = file.kind === 'rendition-playlist' ? file.session : null;
  const variant = await choosePlaylistVariant(
    publication,
    { ...viewer, session, isReread: file.kind !== 'multivariant' },
    deps,
  );
  if ('code' in variant) return { kind: 'problem', problem: variant };
  const set = chooseListedSet(listableRenditions(publication));
  if (file.kind === 'multivariant') return serveMultivariant(publication, { set, variant, range }, deps);
  const rendition =
    file.kind === 'rung-playlist' ? findRung(set.video, file.heightPx) : findRendition(publication, file);
  if (rendition === undefined) return notFound('unknown-rendition');
  if (rendition.planned === null && rendition.chunks[0]?.firstSegment !== 0) {
    return notFound('not-playable');
  }
  const targetSec = () => targetDurationSec(listableRenditions(publication));
  const media = describeMedia(rendition, file, { variant, targetSec });
  if (range === null || clock === undefined) {
    const write = () => media.write(computeSegmentRun(rendition));
    return playlist(publication, { ...media, tag: '', write, variant }, deps.written);
  }
  const run = computeSegmentRun(rendition);
  const span = spanOf(run, clock, range);
  if (span.first < 0) return notFound('no-media');
  const write = () => media.write(run, span);
  return playlist(publication, { ...media, tag: `-${span.first}-${span.end}`, write, variant }, deps.written);
}

/**
 * Describes a media playlist. Its URLs are relative to the folder of the rendition, of a session in that folder, or of
 * the resolution alias.
 */
function describeMedia(
  rendition: StoredRendition,
  file: { kind: 'rung-playlist' } | { kind: 'rendition-playlist'; session: string | null },
  { variant: { segmentFolder, keys }, targetSec }: { variant: PlaylistVariant; targetSec: () => number },
): { name: string; write(run: SegmentRun, span?: SegmentSpan): string } {
  const isRung = file.kind === 'rung-playlist';
  const isInSession = !isRung && file.session !== null;
  const folder = isInSession ? '' : `${isRung ? `../r/${rendition.id}/` : ''}${segmentFolder}`;
  const toVideo = isRung ? '../' : isInSession ? '../../../' : '../../';
  const ofRendition = keys(rendition, toVideo);
  return {
    name: `${rendition.id}|${toVideo}`,
    write: (run, span) => writeMediaPlaylist(run, { folder, keys: ofRendition, targetSec: targetSec() }, span),
  };
}

async function serveMultivariant(
  publication: Publication,
  { set, variant, range }: { set: ListedSet<StoredRendition>; variant: PlaylistVariant; range: ClockRange | null },
  { written, iFrames }: PlaylistDeps,
): Promise<Answer> {
  if (!set.isPlayable) return notFound('not-playable');
  const isWhole = range === null && set.video.every(({ state }) => state === 'finished') && variant.listsIFrames;
  const rates = isWhole ? await iFrames.ratesOf(set.video) : null;
  // A publication has two texts: one without I-frame playlists, and one with them once their bitrates are known.
  const tag = range !== null ? `-${range.query}` : rates === null ? '' : '-i';
  const { added } = variant;
  const addresses = range === null ? variant.addresses : rangedAddresses(variant.addresses, range);
  const sessionKeys = variant.sessionKeys([...set.video, ...set.audio]);
  // The times of captions count from the start of the whole stream, so a playlist of a time range has none.
  const subtitles = range === null ? subtitlesOf(publication) : [];
  const options = { subtitles, addresses, added, sessionKeys, ...(rates === null ? {} : { iFrames: rates }) };
  const write = () => writeMultivariant(set, publication.frameRate, options);
  return playlist(publication, { name: `multivariant${tag}`, tag, write, variant }, written);
}

async function serveCaptionsPlaylist(
  publication: Publication,
  language: string,
  written: HeldCache<Buffer>,
): Promise<Answer> {
  const track = findCaption(publication.captions, language);
  if (track === undefined) return notFound('unknown-captions');
  const durationSec = publication.durationMs / 1000;
  if (durationSec <= 0) return notFound('not-playable');
  const write = () => writeSubtitlePlaylist(durationSec, `${track.srclang}.vtt`);
  return playlist(publication, { name: `captions/${track.srclang}`, tag: '', write, variant: CLEAR_VARIANT }, written);
}

function subtitlesOf({ captions, settings, durationMs }: Publication): SubtitleTrack[] {
  if (!settings.listsCaptions || durationMs <= 0) return [];
  return captions.map(({ srclang, label }) => ({
    ...describeCaption(srclang),
    name: label,
    address: `captions/${srclang}.m3u8`,
  }));
}

function spanOf(run: SegmentRun, clock: readonly WallAnchor[], range: ClockRange): SegmentSpan {
  const wallMs = (sec: number) => wallAt(clock, sec);
  const isTaken = (_: number, segment: number) => {
    const [start, end] = [segment, segment + 1].map((one) => (run.boundaryTicks[one] ?? 0) / run.timescale);
    const startMs = wallMs(start ?? 0);
    return startMs !== null && touches(range, startMs, startMs + ((end ?? 0) - (start ?? 0)) * 1000);
  };
  return { first: run.sizeBytes.findIndex(isTaken), end: run.sizeBytes.findLastIndex(isTaken) + 1, wallMs };
}

type Text = { name: string; tag: string; write: () => string };

async function playlist(
  publication: Publication,
  { name, tag, write, variant }: Text & { variant: PlaylistVariant },
  written: HeldCache<Buffer>,
): Promise<Answer> {
  const { libraryId, mediaId, policyRevision } = publication;
  const version = `p${publication.revision}.${policyRevision}${tag}${variant.tag}`;
  const key = `playlist|${libraryId}|${mediaId}|${version}|${name}`;
  const text = await written.get(key, () => Buffer.from(write()));
  const common = { kind: 'bytes', contentType: CONTENT_TYPE } as const;
  if (variant.fill !== null) {
    return { ...common, bytes: Buffer.from(variant.fill(text.toString())), cacheControl: CACHE_NOTHING, etag: null };
  }
  const cacheControl = isSettled(publication) ? CACHE_SHORTLY : CACHE_NEVER;
  return { ...common, bytes: text, cacheControl, etag: `"${version}"` };
}

/** Returns whether the playlist no longer grows and may be cached for a short time. */
function isSettled({ state, renditions }: Publication): boolean {
  const isListed = renditions.every((one) => !one.isActive || one.isOnDemand || one.state !== 'building');
  return state === 'finished' || (state === 'jit-ready' && isListed);
}

/**
 * Returns the rendition of an alias such as `720p`: the H.264 rendition of that rung, because every player decodes
 * H.264.
 */
function findRung(video: readonly StoredRendition[], heightPx: number): StoredRendition | undefined {
  return video.find((rendition) => rungOf(rendition) === heightPx && isH264(rendition));
}

function findRendition(
  publication: Publication,
  { renditionId }: { renditionId: string },
): StoredRendition | undefined {
  const listable = listableRenditions(publication);
  return listable.find((rendition) => rendition.id === renditionId && rendition.codecString !== null);
}
