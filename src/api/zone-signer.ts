import type { Library } from '../catalog/libraries/library.ts';
import { requiresFileToken } from '../catalog/libraries/viewer-access.ts';
import { parsePullZoneName } from '../catalog/pull-zones/pull-zone-name.ts';
import { signMedia, signMediaFile } from '../catalog/pull-zones/sign-media.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../catalog/pull-zones/zone-policy-store.ts';
import type { Guid } from '../lib/guid.ts';

export type ZoneSignerDeps = { loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null> };

/** Signs URLs of a zone, for one caller. */
export type ZoneSigner = {
  /** Whether the zone requires tokens for all files; otherwise only the files of private media need one. */
  signsAll: boolean;
  /** Returns a signer whose tokens end at the latest at a time, in seconds since 1970. */
  until(endSec: number): ZoneSigner;
  /** Returns the path token of a media item's folder, which grants access to all of its files. */
  folder(media: { mediaId: Guid; durationMs: number }): string;
  /** Returns the query that grants access to one file of a media item. */
  file(mediaId: Guid, file: string): string;
};

/**
 * Loads the signer of a library's zone for a caller at `address`. `hasPrivate`: the URLs are those of private media, at
 * least some of them. Returns null if no URL needs a token.
 */
export async function loadZoneSigner(
  { pullZone, settings }: Library,
  { address, hasPrivate }: { address: string; hasPrivate: boolean },
  { loadPolicy }: ZoneSignerDeps,
): Promise<ZoneSigner | null> {
  const signsAll = requiresFileToken(settings, pullZone.settings);
  const name = signsAll || hasPrivate ? parsePullZoneName(pullZone.name) : null;
  const policy = name === null ? null : await loadPolicy({ by: 'name', name });
  if (policy === null) return null;
  return signerOf({ policy, signsAll }, { address, nowMs: Date.now() });
}

function signerOf(
  { policy, signsAll }: { policy: ZonePolicy; signsAll: boolean },
  viewer: Parameters<typeof signMedia>[2],
): ZoneSigner {
  return {
    signsAll,
    until: (endSec) => signerOf({ policy, signsAll }, { ...viewer, endSec }),
    folder: (media) => signMedia(policy, media, viewer),
    file: (mediaId, file) => signMediaFile(policy, `/${mediaId}/${file}`, viewer),
  };
}
