import type { Guid } from '../../lib/guid.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import type { TaskKind, TaskQueue } from './task-kind.ts';

/**
 * One unit of encoding as its row says it, without who runs it: segments [fromSegment, toSegment) of the renditions,
 * or sheets of the storyboard (kind `sheets`).
 */
export type EncodeTask = {
  key: MediaKey;
  id: Guid;
  timelineId: Guid;
  kind: TaskKind;
  renditionIds: readonly Guid[];
  fromSegment: number;
  toSegment: number;
  isFirst: boolean;
  queue: TaskQueue;
  priority: number;
  /** Its share of the progress, see `taskWeight`. */
  weight: number;
};

/** What an encode task says of itself that waits for nothing else. */
export const WAITING_FOR_SLOT = 'waiting for an encoder slot';

/** The states of a video of which encode tasks may be open. */
export const ENCODING_STATES = ['transcoding', 'jit-segmenting', 'jit-ready'] as const;

/**
 * The right to do an encode task now. Whoever holds it renews its lease. No two claims, of whatever encode tasks, have
 * the same `attempt`: only that of the latest is accepted, and objects are named by it. `failures` counts the attempts
 * that ended in an error, `deaths` those whose worker did not end them.
 */
export type Claim = { task: EncodeTask; attempt: number; failures: number; deaths: number; owner: string };

/** Seconds that a lease lasts on the database's clock, and how often its holder renews it. */
export const LEASE_SEC = 30;
export const RENEW_EVERY_MS = 5_000;
/** A holder that could not renew for so long gives up; until then what it does is fenced by its attempt. */
export const GIVE_UP_MS = 90_000;

/** Seconds that the lease of a segment for viewers lasts: a dead worker's is begun again that soon. */
export const SEGMENT_LEASE_SEC = 3;

/**
 * How leases of encode tasks are kept. An expired lease is taken from its worker once the database has been there
 * without a gap for `steadySec`; a worker that cannot renew gives up after `loseMs`.
 */
export type LeaseTimes = { leaseSec: number; renewMs: number; loseMs: number; steadySec: number };
export const LEASES: LeaseTimes = { leaseSec: LEASE_SEC, renewMs: 8_000, loseMs: GIVE_UP_MS, steadySec: 20 };

/** Attempts that may end in an error, and workers that may die with it, before an encode task fails. */
export const MAX_FAILURES = 3;
export const MAX_DEATHS = 5;

/** What audio and copies cost beside pictures, as if they had that many pixels (measured: AAC 0.02 cpu-s a second). */
const AUDIO_PIXELS = 75_000;
const COPY_PIXELS = 10_000;
const THUMBNAIL_WEIGHT = 200_000;
const IMAGES_PIXELS = 40_000;
const START_WEIGHT = 50_000;

/**
 * The cost of an encode task in pixel-seconds; shares of the progress are taken by it. `pixels` sums all rungs of the
 * encode task.
 */
export function taskWeight(kind: TaskKind, pixels: number, durationSec: number): number {
  switch (kind) {
    case 'video':
    case 'backfill':
      return Math.max(1, pixels * durationSec);
    case 'audio':
      return Math.max(1, AUDIO_PIXELS * durationSec);
    case 'compose':
      return Math.max(1, Math.max(COPY_PIXELS, pixels) * durationSec);
    case 'pass-through':
    case 'compose-audio':
    case 'repair':
      return Math.max(1, COPY_PIXELS * durationSec);
    case 'thumbnail':
      return THUMBNAIL_WEIGHT;
    case 'segment':
      return 1;
    case 'jit-start':
      return START_WEIGHT;
    case 'sheets':
      return Math.max(1, IMAGES_PIXELS * durationSec);
    case 'images':
      return THUMBNAIL_WEIGHT + IMAGES_PIXELS * durationSec;
  }
}

/** Of what makes a video playable. */
export const FIRST_PRIORITY = 1_000;
const SHORTEST_PRIORITY = 900;

/**
 * Which encode task goes first, higher first: what makes a video playable before all else, then short videos before
 * long ones (a doubled length costs 40), and within a video what is early on the timeline (one a segment, at most 39).
 */
export function taskPriority(isFirst: boolean, videoSec: number, fromSegment: number): number {
  if (isFirst) return FIRST_PRIORITY;
  const length = Math.round(40 * Math.log2(Math.max(1, videoSec)));
  return Math.max(0, SHORTEST_PRIORITY - length - Math.min(39, fromSegment));
}

/** In the queue `viewers`: of segments that a viewer waits for, and of those that come next. */
export const AWAITED_PRIORITY = 1;
export const AHEAD_PRIORITY = 0;

/** Backfill has the lowest priority: lower than all else by this. */
export const BACKFILL_STEP = 2 * FIRST_PRIORITY;

/** Where all objects of a media lie; ends with a slash. */
export function mediaPrefix({ libraryId, mediaId }: MediaKey): string {
  return `${libraryId}/${mediaId}/`;
}

/** Where a chunk of an attempt lies, and its `.idx` beside it. */
export function chunkKeys(
  key: MediaKey,
  renditionId: Guid,
  firstSegment: number,
  attempt: number,
): { object: StorageKey; idx: StorageKey } {
  const stem = `${mediaPrefix(key)}${renditionId}/${firstSegment}-${attempt}`;
  return { object: storageKey(`${stem}.cmaf`), idx: storageKey(`${stem}.idx`) };
}

/** Where chunks of several renditions of a live stream lie together (`ports/packed-key.ts`). */
export function packKey(key: MediaKey, id: Guid): StorageKey {
  return storageKey(`${mediaPrefix(key)}packs/${id}.pack`);
}

/** The key of a stored chunk's `.idx`, an object of its own or behind the media in the same pack. */
export function idxKeyOf(object: StorageKey): StorageKey {
  return storageKey(object.replace(/\.cmaf$/, '.idx'));
}
