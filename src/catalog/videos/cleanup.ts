import { Refused } from '../../lib/refused.ts';
import type { RenditionView, StoredVideo } from './rendition-view-store.ts';

/**
 * What an owner wants removed. `rungs` by name, `unlisted` those that are not among `configured`, or all with the
 * audio.
 */
export type CleanupRequest = {
  rungs: readonly number[];
  configured: readonly number[];
  unlisted: boolean;
  all: boolean;
  original: boolean;
};

/** What a cleanup takes away. */
export type CleanupPlan = { renditions: readonly RenditionView[]; originalBytes: number | null };

/**
 * Chooses what a cleanup takes away. Refuses (`invalid`) while the video is being made, what would leave no
 * resolution although not all were named on purpose, and what would leave nothing of the video.
 */
export function planCleanup(video: StoredVideo, request: CleanupRequest): CleanupPlan {
  if (video.state !== 'finished' && video.state !== 'failed') {
    throw new Refused(
      'invalid',
      `Expected a video that is not being encoded, this one is ${video.state}. Ask again when it is finished.`,
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
      `Expected at least one resolution to stay, this would remove all that there are (${named}). Name fewer, or ` +
        'set allResolutions.',
    );
  }
  if (request.all && (request.original || video.originalBytes === null)) {
    throw new Refused(
      'invalid',
      'Expected the original to stay when all resolutions go: nothing of the video would be left. Delete the ' +
        'video instead.',
    );
  }
  return { renditions: rejected, originalBytes };
}

/**
 * The configured rungs, and the highest of a video where a higher one is configured: a source that is smaller than
 * that is kept at its own size, listed as the rung that it fills.
 */
function standsFor(videoRenditions: readonly RenditionView[], configured: readonly number[]): readonly number[] {
  const highest = Math.max(...videoRenditions.map(({ rung }) => rung ?? 0));
  return configured.some((rung) => rung > highest) ? [...configured, highest] : configured;
}

function isRejected({ rung }: RenditionView, { rungs, unlisted, configured }: CleanupRequest): boolean {
  if (rung === null) return false;
  return rungs.includes(rung) || (unlisted && !configured.includes(rung));
}
