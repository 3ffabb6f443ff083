import { type CountedChunk, countIndexes, countRows } from './count-track.ts';
import { type Extents, placeExtents } from './extents.ts';
import { layMovie } from './movie-layout.ts';
import { runInSlices } from './run-in-slices.ts';
import type { StoredTrack } from './stored-track.ts';
import { readTrackTemplate, type TrackTemplate } from './track-template.ts';
import { writeHead } from './write-head.ts';

/** One picture rendition, one sound rendition, or one of each. */
export type StoredMovie<Track> = { video: Track; audio: Track | null } | { video: null; audio: Track };

/** A progressive MP4 that exists nowhere: `head` are its first bytes, `extents` say where the others are stored. */
export type VirtualMp4Plan = { sizeBytes: number; head: Buffer; extents: Extents };

/** What the rows of a rendition's chunks say, in order. */
export type CountedTrack = {
  init: Buffer;
  chunks: readonly CountedChunk[];
  /** Whether every sample is known to last equally long: encoded AAC, and pictures on a `frames` grid. */
  hasEqualDurations: boolean;
};

/**
 * Plans the progressive MP4 of a picture and a sound rendition (ISO 14496-12): ftyp, moov, then per 4 s the
 * stored pictures and the sound that starts with them, unchanged. Both tracks start at 0, or as far apart as
 * they were stored. It holds no more of the loop than a few milliseconds at a time, however long the movie is.
 * Refuses, with BrokenMedia, damaged inits, chunks that leave a gap, and an init in the wrong place.
 */
export function planVirtualMp4(movie: StoredMovie<StoredTrack>, signal: AbortSignal): Promise<VirtualMp4Plan> {
  return runInSlices(planInSteps(movie), signal);
}

/**
 * The file's exact size from rows alone, for HEAD and Content-Length; null when a track's durations may differ,
 * as then only its indexes says the size of stts.
 */
export function virtualMp4SizeFromCounters(movie: StoredMovie<CountedTrack>): number | null {
  const tracks = tracksOf(movie);
  if (!tracks.every((track) => track.hasEqualDurations)) return null;
  const counted = tracks.map(({ init, chunks }) => ({
    template: readTrackTemplate(init, null),
    counters: countRows(chunks),
  }));
  return layMovie(counted, []).sizeBytes;
}

function* planInSteps(movie: StoredMovie<StoredTrack>): Generator<void, VirtualMp4Plan> {
  const stored = tracksOf(movie);
  const tracks = [];
  for (const [number, track] of stored.entries()) {
    const template = readTrackTemplate(track.init, track.language);
    checkPlace(movie, number, template);
    const indexes = track.chunks.map((chunk) => chunk.index);
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

function tracksOf<Track>({ video, audio }: StoredMovie<Track>): Track[] {
  return [video, audio].filter((track) => track !== null);
}

function checkPlace(movie: StoredMovie<StoredTrack>, number: number, { handler }: TrackTemplate): void {
  const expected = movie.video !== null && number === 0 ? 'video' : 'audio';
  if (handler !== expected) throw new Error(`Expected the init of the ${expected} rendition, got one of ${handler}.`);
}
