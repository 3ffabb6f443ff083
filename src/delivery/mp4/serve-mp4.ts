import { chooseMp4Rung, listMp4Rungs } from '../../catalog/publications/mp4-rungs.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { isH264, rungOf } from '../../catalog/publications/rungs.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import { RUNGS } from '../../media/encode/ladder.ts';
import type { VirtualMp4Plan } from '../../media/mp4/plan-virtual-mp4.ts';
import { readPlan } from '../../media/mp4/read-plan.ts';
import { type Answer, CACHE_SHORTLY, notFound } from '../http/answer.ts';
import { chunksTag } from '../objects/chunks-tag.ts';
import type { Part, Slice } from '../objects/object-part.ts';
import type { Movie, MoviePlans, MovieTrack } from './movie-plans.ts';

/**
 * Maximum number of bytes of the file that are located per step, so that a long response does not keep the locations of
 * all its bytes in memory.
 */
const STRETCH_BYTES = 32 * 2 ** 20;
const MAX_NAME_LENGTH = 120;

/** `heightPx` is null for audio only. */
type Mp4Request = { heightPx: number | null; wantsDownload: boolean };

/**
 * Serves `play_{height}p.mp4`, which is assembled from a finished H.264 rung and the default audio while it is sent, or
 * `play_audio.m4a`, the default audio of a media item without video. Responds with 404 if the library's setting is off.
 */
export async function serveMp4(publication: Publication, request: Mp4Request, plans: MoviePlans): Promise<Answer> {
  const movie = publication.settings.offersMp4 ? findMovie(publication, request.heightPx) : null;
  if (movie === null) return notFound('no-mp4');
  const plan = await plans.get(movie);
  const answer = {
    kind: 'parts',
    sizeBytes: plan.sizeBytes,
    cut: (slice: Slice) => cutPlan(plan, slice),
    contentType: movie.video === null ? 'audio/mp4' : 'video/mp4',
    cacheControl: CACHE_SHORTLY,
    etag: `"${movie.tag}"`,
  } as const;
  if (!request.wantsDownload) return answer;
  const { title } = publication;
  const name =
    request.heightPx === null ? { title, end: 'm4a' } : { title: `${title} ${request.heightPx}p`, end: 'mp4' };
  return { ...answer, headers: { 'Content-Disposition': writeDisposition(name) } };
}

/** Returns the file name of the tallest MP4 file, or of the audio alone. Returns null if the video has no such file. */
export function bestMp4File(publication: Publication): string | null {
  if (!publication.settings.offersMp4) return null;
  const rungs = tracksOf(publication).filter((one) => one.kind === 'video' && isH264(one));
  const heightPx = chooseMp4Rung(rungs.map(rungOf).toSorted((one, other) => one - other));
  if (findMovie(publication, heightPx) === null) return null;
  return heightPx === null ? AUDIO_FILE : `play_${heightPx}p.mp4`;
}

/**
 * Returns the renditions that are complete. The periods of a recording have different parameters and do not fit into
 * one file, so only the renditions that join them are used.
 */
function tracksOf({ renditions, live }: Publication): MovieTrack[] {
  return renditions.filter(isFinished).filter((one) => (live === undefined ? one.isActive : one.isJoined === true));
}

function findMovie(publication: Publication, heightPx: number | null): Movie | null {
  const { renditions } = publication;
  const finished = tracksOf(publication);
  const audioTracks = finished.filter(({ kind }) => kind === 'audio');
  const audio = audioTracks.find(({ isDefault }) => isDefault) ?? audioTracks[0] ?? null;
  if (heightPx === null) {
    const isAudioOnly = !renditions.some(({ kind, isActive }) => kind === 'video' && isActive);
    return isAudioOnly && audio !== null ? { tag: tagOf([audio]), video: null, audio } : null;
  }
  const video = findVideo(publication, heightPx);
  if (video === undefined) return null;
  const hasAudio = renditions.some(({ kind, isActive, state }) => kind === 'audio' && isActive && state !== 'failed');
  // There is no file while the audio is still being encoded, because the file would change later.
  if (hasAudio && audio === null) return null;
  return { tag: tagOf([video, ...(audio === null ? [] : [audio])]), video, audio };
}

function findVideo(publication: Publication, heightPx: number): MovieTrack | undefined {
  const rungs = tracksOf(publication).filter((rendition) => rendition.kind === 'video' && isH264(rendition));
  // A recording of several periods has only one file, which clients get for each lower resolution too.
  if (publication.live !== undefined) {
    return rungs.find((rendition) => RUNGS.some((rung) => rung === heightPx && rung <= rungOf(rendition)));
  }
  const offered = listMp4Rungs(rungs.map(rungOf).toSorted((one, other) => one - other));
  return offered.includes(heightPx) ? rungs.find((rendition) => rungOf(rendition) === heightPx) : undefined;
}

function tagOf(tracks: readonly MovieTrack[]): string {
  return `mp4-${tracks.flatMap(({ id, chunks }) => [id, chunksTag(chunks)]).join('-')}`;
}

function isFinished(rendition: StoredRendition): rendition is MovieTrack {
  const { state, init, chunks } = rendition;
  return state === 'finished' && init !== null && chunks[0]?.firstSegment === 0;
}

function* cutPlan(plan: VirtualMp4Plan, { start, end }: Slice): Generator<Part> {
  for (let at = start; at < end; at += STRETCH_BYTES) {
    for (const piece of readPlan(plan, at, Math.min(at + STRETCH_BYTES, end) - 1)) {
      if (piece.from === 'head') yield { bytes: plan.head.subarray(piece.start, piece.end + 1) };
      else yield { key: piece.key, start: piece.start, end: piece.end + 1 };
    }
  }
}

/** Writes a Content-Disposition header (RFC 6266) with a UTF-8 file name, and an ASCII name for old clients. */
function writeDisposition({ title, end }: { title: string; end: string }): string {
  const name = title
    .toWellFormed()
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/[\p{Cc}\p{Cs}/\\:*?"<>|]/gu, '_');
  const plain = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll('%', '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${plain}.${end}"; filename*=UTF-8''${exact}.${end}`;
}
