/**
 * `images` makes the images of a video once it is encoded, `sheets` sheets of its storyboard before that. `repair`
 * makes a damaged chunk again, `compose` takes video from other videos, `compose-audio` audio. For on-demand videos,
 * `backfill` makes segments before they are requested, `segment` those that viewers request, and `jit-start` prepares
 * both.
 */
export const TASK_KINDS = [
  'pass-through',
  'video',
  'audio',
  'thumbnail',
  'images',
  'sheets',
  'jit-start',
  'backfill',
  'compose',
  'compose-audio',
  'repair',
  'segment',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** Kinds outside the main work: they do not count towards a video's progress, and a video can finish without them. */
export const BESIDE_KINDS: readonly TaskKind[] = ['repair', 'segment'];

/** Kinds that create only images of a video. */
export const IMAGE_KINDS: readonly TaskKind[] = ['thumbnail', 'images', 'sheets'];

/**
 * Returns whether a task publishes its output as it grows. A repair replaces a chunk, which stays listed until then.
 */
export function publishesGrowing(kind: TaskKind): boolean {
  return kind !== 'repair';
}

/** Seconds for which `backfill` leaves the encoders to the first viewers of a new video. */
export const BACKFILL_DELAY_SEC = 30;

/** Queues of tasks by duration; `viewers`: segments that viewers request. */
export type TaskQueue = 'quick' | 'long' | 'viewers';
