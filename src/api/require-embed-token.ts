import { describeToken, type EmbedToken, isEmbedTokenValid } from '../catalog/libraries/embed-token.ts';
import type { Library } from '../catalog/libraries/library.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import { requiresEmbedToken } from '../catalog/libraries/viewer-access.ts';
import type { PullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import type { Visibility } from '../catalog/visibility.ts';
import type { Guid } from '../lib/guid.ts';
import { Refused } from '../lib/refused.ts';

type Deps = { pullZones: PullZoneStore; libraries: LibraryStore };

/**
 * Throws `Refused` (`unauthenticated`) if a library requires a token and the caller's token is not valid for the media
 * item. The message describes the problem of the token.
 */
export async function requireEmbedToken(
  shown: EmbedToken,
  { mediaId, library }: { mediaId: Guid; library: Library },
  deps: Deps,
): Promise<void> {
  if (!requiresEmbedToken(library.settings)) return;
  if (await showsEmbedToken(shown, { mediaId, library }, deps)) return;
  throw new Refused(
    'unauthenticated',
    'This library requires a token: expected token and expires in the query, got ' +
      `${describeToken(shown, Date.now())}. Sign SHA256(key + video id + expires) again.`,
  );
}

/** Throws `Refused` (`unauthenticated`) if a media item is private and the caller's token is not valid for it. */
export async function requireTokenIfPrivate(
  shown: EmbedToken,
  { visibility, ...asked }: { mediaId: Guid; library: Library; visibility: Visibility },
  deps: Deps,
): Promise<void> {
  if (visibility !== 'private' || (await showsEmbedToken(shown, asked, deps))) return;
  throw new Refused(
    'unauthenticated',
    `This video is private: expected token and expires in the query, got ${describeToken(shown, Date.now())}. ` +
      'Sign SHA256(key + video id + expires) again.',
  );
}

/** Returns whether a caller has a valid token for a media item, even if its library requires none. */
export async function showsEmbedToken(
  shown: EmbedToken,
  { mediaId, library }: { mediaId: Guid; library: Library },
  { pullZones, libraries }: Deps,
): Promise<boolean> {
  const [zoneKeys, { libraryKey }] = await Promise.all([
    pullZones.signingKeys(library.pullZone.id),
    libraries.keys(library.id),
  ]);
  return isEmbedTokenValid(shown, { mediaId, keys: [...zoneKeys, libraryKey] }, Date.now());
}
