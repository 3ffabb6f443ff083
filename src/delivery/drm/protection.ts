import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { isH264 } from '../../catalog/publications/rungs.ts';

/** How a video is given out now: in the clear, whole segments under keys of a play session, or by a package. */
export type Protection = { kind: 'none' } | { kind: 'sessions' } | { kind: 'package'; packaged: DrmPackage };

const GRACE_MS = 24 * 3600 * 1000;

export function protectionOf({ settings, packages }: Publication): Protection {
  if (settings.drm === 'none') return { kind: 'none' };
  if (settings.drm === 'basic') return { kind: 'sessions' };
  const packaged = packages.find(({ retiredAt }) => retiredAt === null);
  // What was uploaded before DRM was turned on has no keys until it is repackaged.
  return packaged === undefined ? { kind: 'none' } : { kind: 'package', packaged };
}

/** The packages whose bytes and keys are given out: the one that playlists name, and those that it replaced today. */
export function livePackages({ packages }: Publication, nowMs: number): DrmPackage[] {
  return packages.filter(({ retiredAt }) => retiredAt === null || retiredAt.getTime() + GRACE_MS > nowMs);
}

/** The renditions that playlists may name: in a package, pictures of other codecs than H.264 cannot be encrypted. */
export function listableRenditions(publication: Publication): readonly StoredRendition[] {
  if (protectionOf(publication).kind !== 'package') return publication.renditions;
  return publication.renditions.filter((rendition) => rendition.kind === 'audio' || isH264(rendition));
}

/** Whether the bytes of a video are given out in the clear. */
export function isClear(publication: Publication): boolean {
  return protectionOf(publication).kind === 'none';
}
