import type { Guid } from '../../lib/guid.ts';
import { type StorageKey, storageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import type { TaskKind, TaskQueue } from './task-kind.ts';

/**
 * One unit of encoding as in its row, without its worker: segments [fromSegment, toSegment) of the renditions, or
 * sheets of the storyboard (kind `sheets`).
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

/** Reason of an encode task that waits for nothing else. */
export const WAITING_FOR_SLOT = 'waiting for an encoder slot';

/** The states of a video that may have open encode tasks. */
export const ENCODING_STATES = ['transcoding', 'jit-segmenting', 'jit-ready'] as const;

/**
 * The right to run an encode task now. Its holder renews the lease. Every claim, of any encode task, has a unique
 * `attempt`, which names its objects; only the latest attempt is accepted. `failures` counts the attempts that ended in
 * an error, `deaths` those whose worker did not end them.
 */
export type Claim = {
  task: EncodeTask;
  attempt: number;
  failures: number;
  deaths: number;
  owner: string;
  /** Request that caused the task, for log lines. */
  requestId: string | null;
};

/** Duration of a lease by the database's clock in s, and its renewal interval in ms. */
export const LEASE_SEC = 30;
export const RENEW_EVERY_MS = 5_000;
/** Time without a renewal after which a holder gives up, in ms. Until then its attempt fences its writes. */
export const GIVE_UP_MS = 90_000;

/** Lease of a segment for viewers, in s, after which a dead worker's segment is restarted. */
export const SEGMENT_LEASE_SEC = 3;

/**
 * Lease timing of encode tasks. An expired lease is taken from its worker once the database has been up without a gap
 * for `steadySec`; a worker that cannot renew gives up after `loseMs`.
 */
export type LeaseTimes = { leaseSec: number; renewMs: number; loseMs: number; steadySec: number };
export const LEASES: LeaseTimes = { leaseSec: LEASE_SEC, renewMs: 8_000, loseMs: GIVE_UP_MS, steadySec: 20 };

/** Number of attempts of an encode task that end in an error before the task fails. */
export const MAX_FAILURES = 3;
/** Number of times that the worker of an encode task may die before the task fails. */
export const MAX_DEATHS = 5;

/** Cost of audio and copies relative to video, as a number of pixels (measured: AAC 0.02 cpu-s per second). */
const AUDIO_PIXELS = 75_000;
const COPY_PIXELS = 10_000;
const THUMBNAIL_WEIGHT = 200_000;
const IMAGES_PIXELS = 40_000;
const START_WEIGHT = 50_000;

/**
 * Returns the cost of an encode task in pixel-seconds, by which the progress is shared. `pixels` sums all rungs of the
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

/** Priority of tasks that make a video playable. */
export const FIRST_PRIORITY = 1_000;
const MIN_PRIORITY = 900;

/**
 * Returns the priority of an encode task, higher first: tasks that make a video playable before all others, then short
 * videos before long ones (a doubled length costs 40), and within a video early segments first (one per segment, at
 * most 39).
 */
export function taskPriority(isFirst: boolean, videoSec: number, fromSegment: number): number {
  if (isFirst) return FIRST_PRIORITY;
  const length = Math.round(40 * Math.log2(Math.max(1, videoSec)));
  return Math.max(0, MIN_PRIORITY - length - Math.min(39, fromSegment));
}

/** Priorities in the queue `viewers`: of segments that a viewer waits for, and of those that follow. */
export const AWAITED_PRIORITY = 1;
export const AHEAD_PRIORITY = 0;

/** Subtracted for backfill, which has the lowest priority of all. */
export const BACKFILL_STEP = 2 * FIRST_PRIORITY;

/** Returns the prefix of all objects of a media item; ends with a slash. */
export function mediaPrefix({ libraryId, mediaId }: MediaKey): string {
  return `${libraryId}/${mediaId}/`;
}

/** Returns the keys of an attempt's chunk and of its `.idx`. */
export function chunkKeys(
  key: MediaKey,
  renditionId: Guid,
  firstSegment: number,
  attempt: number,
): { object: StorageKey; idx: StorageKey } {
  const stem = `${mediaPrefix(key)}${renditionId}/${firstSegment}-${attempt}`;
  return { object: storageKey(`${stem}.cmaf`), idx: storageKey(`${stem}.idx`) };
}

/** Returns the key of a pack with chunks of several renditions of a live stream (`ports/packed-key.ts`). */
export function packKey(key: MediaKey, id: Guid): StorageKey {
  return storageKey(`${mediaPrefix(key)}packs/${id}.pack`);
}

/** Returns the key of a stored chunk's `.idx`, a separate object or after the media in the same pack. */
export function idxKeyOf(object: StorageKey): StorageKey {
  return storageKey(object.replace(/\.cmaf$/, '.idx'));
}
