import { Refused } from '../../lib/refused.ts';
import type { RenditionView, StoredVideo } from './rendition-view-store.ts';

/**
 * Request to remove parts: `rungs` by name, `unlisted` for rungs that are not in `configured`, or everything including
 * the audio.
 */
export type CleanupRequest = {
  rungs: readonly number[];
  configured: readonly number[];
  unlisted: boolean;
  all: boolean;
  original: boolean;
};

/** Parts that a cleanup removes. */
export type CleanupPlan = { renditions: readonly RenditionView[]; originalBytes: number | null };

/**
 * Chooses the parts that a cleanup removes. Throws `Refused` (`invalid`) while the video is being made, if no
 * resolution would be left although not all were named explicitly, and if the video would be left empty.
 */
export function planCleanup(video: StoredVideo, request: CleanupRequest): CleanupPlan {
  if (video.state !== 'finished' && video.state !== 'failed') {
    throw new Refused(
      'invalid',
      `Expected a video that is not being encoded, got one that is ${video.state}. Try again when it is finished.`,
    );
  }
  const active = video.renditions.filter(({ isActive }) => isActive);
  const videoRenditions = active.filter(({ kind }) => kind === 'video');
  const configured = standsFor(videoRenditions, request.configured);
  const rejected = request.all
    ? active
    : videoRenditions.filter((rendition) => isRejected(rendition, { ...request, configured }));
  const originalBytes = request.original ? video.originalBytes : null;
  const keepsNone = videoRenditions.length > 0 && videoRenditions.every((rendition) => rejected.includes(rendition));
  if (keepsNone && !request.all) {
    const named = videoRenditions.map(({ rung }) => `${rung}p`).join(', ');
    throw new Refused(
      'invalid',
      `Expected at least one resolution to remain, but this would remove all of them (${named}). Name fewer, or ` +
        'set allResolutions.',
    );
  }
  if (request.all && (request.original || video.originalBytes === null)) {
    throw new Refused(
      'invalid',
      'Expected the original to remain when all resolutions are removed: nothing of the video would be left. ' +
        'Delete the video instead.',
    );
  }
  return { renditions: rejected, originalBytes };
}

/**
 * Returns the configured rungs, and the highest of a video if a higher one is configured: a smaller source is kept at
 * its own size, listed as the rung that it fills.
 */
function standsFor(videoRenditions: readonly RenditionView[], configured: readonly number[]): readonly number[] {
  const highest = Math.max(...videoRenditions.map(({ rung }) => rung ?? 0));
  return configured.some((rung) => rung > highest) ? [...configured, highest] : configured;
}

function isRejected({ rung }: RenditionView, { rungs, unlisted, configured }: CleanupRequest): boolean {
  if (rung === null) return false;
  return rungs.includes(rung) || (unlisted && !configured.includes(rung));
}
