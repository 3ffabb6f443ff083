import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { chooseSystems, drmModeOf } from '../../catalog/drm/drm-package.ts';
import { loadDrmSystems } from '../../catalog/drm/drm-package-store.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { loadVisibility } from '../../catalog/videos/visibility-store.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { DrmSystem } from '../../ports/drm-key-source.ts';
import { queryInt64, queryText } from '../read-query.ts';
import { requireEmbedToken, requireTokenIfPrivate } from '../require-embed-token.ts';
import { requireReferrer } from '../require-referrer.ts';

/** The embed token of a licence request. */
export const TOKEN_QUERY = { token: queryText(), expires: queryInt64(0) };

/** Query of a licence request. Some players add `contentId`, which is ignored because the path contains the video. */
export const LicenceQuery = Type.Object({ ...TOKEN_QUERY, contentId: queryText() });

export type LicenceDeps = {
  libraries: LibraryStore;
  pullZones: PullZoneStore;
  db: Db;
  ownHosts: readonly string[];
};

type Requested = { libraryId: number; referrer: string | null; token: string; expires: number };

/**
 * Checks whether a caller may get a licence of a DRM system for a video. The referrer and the token must meet the same
 * requirements as for playback. Throws `Refused`: `not-found` if the library or the video does not exist, `invalid` if
 * it does not use this DRM system, and `forbidden` if a rule forbids the request.
 */
export async function requireLicence(
  requested: Requested & { video: string },
  system: DrmSystem,
  deps: LicenceDeps,
): Promise<Guid> {
  const library = await requireSystem(requested, system, deps);
  const mediaId = readGuid(requested.video);
  const signals = mediaId === null ? [] : await loadDrmSystems(deps.db, { libraryId: requested.libraryId, mediaId });
  if (mediaId === null || !signals.includes(system)) {
    throw new Refused(
      'not-found',
      `Video "${requested.video.slice(0, 40)}" with ${system} keys not found. Check the id.`,
    );
  }
  try {
    const shown = { token: requested.token, expiresSec: requested.expires };
    const key = { libraryId: requested.libraryId, mediaId };
    const visibility = (await loadVisibility(deps.db, key)) ?? 'private';
    await requireEmbedToken(shown, { mediaId, library }, deps);
    await requireTokenIfPrivate(shown, { mediaId, library, visibility }, deps);
  } catch (error) {
    throw asForbidden(error);
  }
  return mediaId;
}

/** Like `requireLicence`, for the whole library. */
export async function requireSystem(
  { libraryId, referrer }: Pick<Requested, 'libraryId' | 'referrer'>,
  system: DrmSystem,
  deps: LicenceDeps,
): Promise<Library> {
  const library = await deps.libraries.recall(libraryId);
  if (library === null) throw new Refused('not-found', `Library ${libraryId} not found. Check the id.`);
  const { settings } = library;
  if (drmModeOf(settings) !== 'enterprise' || !chooseSystems([system], settings, 'cbcs').includes(system)) {
    throw new Refused(
      'invalid',
      `Library ${libraryId} does not have Enterprise DRM with ${system} on. Turn it on first.`,
    );
  }
  try {
    requireReferrer(referrer, library, deps.ownHosts);
  } catch (error) {
    throw asForbidden(error);
  }
  return library;
}

/** Players expect 403 if a licence is denied. */
function asForbidden(error: unknown): unknown {
  if (!(error instanceof Refused) || error.kind !== 'unauthenticated') return error;
  return new Refused('forbidden', error.message, { cause: error });
}
