import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { isH264 } from '../../catalog/publications/rungs.ts';

/** Delivery of a video: in the clear, as whole segments with keys of a play session, or by a package. */
export type Protection = { kind: 'none' } | { kind: 'sessions' } | { kind: 'package'; packaged: DrmPackage };

const GRACE_MS = 24 * 3600 * 1000;

export function protectionOf({ settings, packages }: Publication): Protection {
  if (settings.drm === 'none') return { kind: 'none' };
  if (settings.drm === 'basic') return { kind: 'sessions' };
  const packaged = packages.find(({ retiredAt }) => retiredAt === null);
  // Videos uploaded before DRM was enabled have no keys until they are packaged again.
  return packaged === undefined ? { kind: 'none' } : { kind: 'package', packaged };
}

/** Returns the packages whose bytes and keys are delivered: the current one and those replaced within the last day. */
export function livePackages({ packages }: Publication, nowMs: number): DrmPackage[] {
  return packages.filter(({ retiredAt }) => retiredAt === null || retiredAt.getTime() + GRACE_MS > nowMs);
}

/** Returns the renditions that playlists may list. A package can only encrypt H.264 video. */
export function listableRenditions(publication: Publication): readonly StoredRendition[] {
  if (protectionOf(publication).kind !== 'package') return publication.renditions;
  return publication.renditions.filter((rendition) => rendition.kind === 'audio' || isH264(rendition));
}

/** Returns whether the bytes of a video are delivered in the clear. */
export function isClear(publication: Publication): boolean {
  return protectionOf(publication).kind === 'none';
}
