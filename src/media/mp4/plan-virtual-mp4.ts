import { closeGaps } from './close-gaps.ts';
import { countIndexes } from './count-indexes.ts';
import { type Extents, placeExtents } from './extents.ts';
import { layMovie } from './movie-layout.ts';
import { runInSlices } from './run-in-slices.ts';
import type { StoredTrack } from './stored-track.ts';
import { readTrackTemplate, type TrackTemplate } from './track-template.ts';
import { writeHead } from './write-head.ts';

/** One video rendition, one audio rendition, or one of each. */
export type StoredMovie = { video: StoredTrack; audio: StoredTrack | null } | { video: null; audio: StoredTrack };

/**
 * A progressive MP4 that is not stored in this form. `head` is its first bytes. `extents` locate the rest in stored
 * objects.
 */
export type VirtualMp4Plan = { sizeBytes: number; head: Buffer; extents: Extents };

/**
 * Plans the progressive MP4 of a video and an audio rendition (ISO 14496-12): ftyp, moov, then for every 4 s the stored
 * video and the audio that starts with it, unchanged. Both tracks start at 0, or at their stored offset. Blocks the
 * event loop for at most a few milliseconds at a time, however long the movie is. Throws BrokenMedia for damaged init
 * segments, gaps of more than a second between chunks, and the init segment of another kind of track.
 */
export function planVirtualMp4(movie: StoredMovie, signal: AbortSignal): Promise<VirtualMp4Plan> {
  return runInSlices(planInSteps(movie), signal);
}

function* planInSteps(movie: StoredMovie): Generator<void, VirtualMp4Plan> {
  const stored = tracksOf(movie);
  const tracks = [];
  for (const [number, track] of stored.entries()) {
    const template = readTrackTemplate(track.init, track.language);
    checkPlace(movie, number, template);
    const indexes = closeGaps(track.chunks.map((chunk) => chunk.index));
    tracks.push({ template, indexes, ...(yield* countIndexes(indexes, template.timescale)) });
  }
  const layout = layMovie(
    tracks,
    tracks.map((track) => track.times.mediaTimeTicks),
  );
  const { extents, fragmentOffsets } = yield* placeExtents(stored, layout.headBytes);
  const sources = tracks.map((track, number) => ({
    ...track,
    fragmentOffsets: fragmentOffsets[number] ?? new Float64Array(0),
  }));
  const head = yield* writeHead(layout, sources);
  return { sizeBytes: layout.sizeBytes, head, extents };
}

function tracksOf({ video, audio }: StoredMovie): StoredTrack[] {
  return [video, audio].filter((track) => track !== null);
}

function checkPlace(movie: StoredMovie, number: number, { handler }: TrackTemplate): void {
  const expected = movie.video !== null && number === 0 ? 'video' : 'audio';
  if (handler !== expected) throw new Error(`Expected the init of the ${expected} rendition, got one of ${handler}.`);
}
