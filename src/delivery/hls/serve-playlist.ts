import { findCaption } from '../../catalog/captions/caption.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { type SubtitleTrack, writeSubtitlePlaylist } from '../../media/captions/subtitle-playlist.ts';
import { chooseListedSet, type ListedSet } from '../../media/playlists/listed-set.ts';
import { writeMediaPlaylist } from '../../media/playlists/media-playlist.ts';
import { writeMultivariant } from '../../media/playlists/multivariant.ts';
import { computeSegmentRun } from '../../media/playlists/segment-run.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import { type Answer, CACHE_NEVER, CACHE_SHORTLY, notFound } from '../http/answer.ts';
import type { IFrameLists } from './i-frame-lists.ts';
import { isH264, rungOf } from './rungs.ts';

const CONTENT_TYPE = 'application/vnd.apple.mpegurl';

type PlaylistFile =
  | { kind: 'multivariant' }
  | { kind: 'rung-playlist'; heightPx: number }
  | { kind: 'rendition-playlist'; renditionId: string }
  | { kind: 'captions-playlist'; language: string };

type PlaylistDeps = { written: HeldCache<Buffer>; iFrames: IFrameLists };

/** Answers a playlist as of this publication. Written once a publication, then held in `written`. */
export async function servePlaylist(
  publication: Publication,
  file: PlaylistFile,
  { written, iFrames }: PlaylistDeps,
): Promise<Answer> {
  if (file.kind === 'captions-playlist') return serveCaptionsPlaylist(publication, file.language, written);
  const set = chooseListedSet(publication.renditions);
  if (file.kind === 'multivariant') return serveMultivariant(publication, set, { written, iFrames });
  const rendition =
    file.kind === 'rung-playlist' ? findRung(set.video, file.heightPx) : findRendition(publication, file);
  if (rendition === undefined) return notFound('unknown-rendition', 'There is no such rendition.');
  const run = () => computeSegmentRun(rendition);
  if (rendition.planned === null && rendition.chunks[0]?.firstSegment !== 0) {
    return notFound('not-playable', 'The rendition has no first segment yet.');
  }
  const folder = file.kind === 'rung-playlist' ? `../r/${rendition.id}/` : '';
  const text = { name: `${folder}${rendition.id}`, tag: '', write: () => writeMediaPlaylist(run(), folder) };
  return playlist(publication, text, written);
}

function serveMultivariant(
  publication: Publication,
  set: ListedSet<StoredRendition>,
  { written, iFrames }: PlaylistDeps,
): Answer | Promise<Answer> {
  if (!set.isPlayable) return notFound('not-playable', 'The video cannot be played yet.');
  const isWhole = set.video.every(({ state }) => state === 'finished') && !publication.settings.isProtected;
  const rates = isWhole ? iFrames.knownRates(set.video) : null;
  // Two texts of one publication: with the single pictures once these are known, and before.
  const tag = rates === null ? '' : '-i';
  const beside = { subtitles: subtitlesOf(publication), ...(rates === null ? {} : { iFrames: rates }) };
  const write = () => writeMultivariant(set, publication.frameRate, beside);
  return playlist(publication, { name: `multivariant${tag}`, tag, write }, written);
}

async function serveCaptionsPlaylist(
  publication: Publication,
  language: string,
  written: HeldCache<Buffer>,
): Promise<Answer> {
  const track = findCaption(publication.captions, language);
  if (track === undefined) return notFound('unknown-captions', 'There are no captions in that language.');
  const durationSec = publication.durationMs / 1000;
  if (durationSec <= 0) return notFound('not-playable', 'The length of the video is not known yet.');
  const write = () => writeSubtitlePlaylist(durationSec, `${track.srclang}.vtt`);
  return playlist(publication, { name: `captions/${track.srclang}`, tag: '', write }, written);
}

function subtitlesOf({ captions, settings, durationMs }: Publication): SubtitleTrack[] {
  if (!settings.listsCaptions || durationMs <= 0) return [];
  return captions.map(({ srclang, label }) => ({
    language: srclang,
    name: label,
    address: `captions/${srclang}.m3u8`,
  }));
}

async function playlist(
  publication: Publication,
  { name, tag, write }: { name: string; tag: string; write: () => string },
  written: HeldCache<Buffer>,
): Promise<Answer> {
  const { libraryId, mediaId, settings } = publication;
  // The library's settings change without a new publication of each of its videos.
  const version = `p${publication.publication}${settings.listsCaptions ? '' : '-plain'}${tag}`;
  const key = `playlist|${libraryId}|${mediaId}|${version}|${name}`;
  return {
    kind: 'bytes',
    bytes: await written.get(key, () => Buffer.from(write())),
    contentType: CONTENT_TYPE,
    cacheControl: isSettled(publication) ? CACHE_SHORTLY : CACHE_NEVER,
    etag: `"${version}"`,
  };
}

/** Nothing more is coming: short caching does no harm. */
function isSettled({ state }: Publication): boolean {
  return state === 'finished' || state === 'jit-ready';
}

/** The alias `720p` stands for the H.264 rendition of that rung, which every player knows. */
function findRung(video: readonly StoredRendition[], heightPx: number): StoredRendition | undefined {
  return video.find((rendition) => rungOf(rendition) === heightPx && isH264(rendition));
}

function findRendition(
  publication: Publication,
  { renditionId }: { renditionId: string },
): StoredRendition | undefined {
  return publication.renditions.find((rendition) => rendition.id === renditionId && rendition.codecString !== null);
}
