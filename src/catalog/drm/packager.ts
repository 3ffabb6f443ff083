import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { formatContentKeys, newContentKeys } from '../../media/drm/keys/content-keys.ts';
import { BASE_CODEC } from '../../media/encode/codecs/all.ts';
import type { DrmKeySource, DrmSystem, SchemeName } from '../../ports/drm-key-source.ts';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { LibrarySettings } from '../libraries/library-settings.ts';
import { chooseSystems, drmModeOf, requireSameKids } from './drm-package.ts';
import { addPackage, announcePackaged, loadPackageable } from './drm-package-store.ts';

/** Assigns the keys with which videos are encrypted during delivery. Stored bytes do not change. */
export type Packager = {
  /**
   * Assigns new keys to a video. Open players can use the previous keys for a day, unless `keepsPrevious` is false.
   * With `keepsPrevious`, a video that is already packaged for the same systems is left unchanged. Throws `Refused`
   * (`not-found`) for an unknown video; (`invalid`) if its library lacks Enterprise DRM, or if it has video but none in
   * H.264; (`busy`) if it was packaged ten times within a day; and anything that the key source throws.
   */
  repackage(key: MediaKey, options: { keepsPrevious: boolean }, signal: AbortSignal): Promise<void>;
  /**
   * Assigns the first keys to a video if its library has Enterprise DRM. Returns whether the video has keys. Throws the
   * errors of `repackage`, except `invalid`.
   */
  protectNew(key: MediaKey, signal: AbortSignal): Promise<boolean>;
};

export type PackagerDeps = { db: Db; secretBox: SecretBox; keySource: DrmKeySource; scheme: SchemeName };

/** Creates a packager. `keySource` is called outside of transactions; `scheme` applies to all new keys. */
export function createPackager(deps: PackagerDeps): Packager {
  return {
    async repackage(key, { keepsPrevious }, signal) {
      const { settings, videoCodecs, current } = await loadPackageable(deps.db, key);
      if (drmModeOf(settings) !== 'enterprise') {
        throw new Refused('invalid', `Library ${key.libraryId} has Enterprise DRM turned off. Turn it on first.`);
      }
      if (videoCodecs.length > 0 && !videoCodecs.includes(BASE_CODEC)) {
        const received = videoCodecs.join(', ');
        throw new Refused('invalid', `Expected H.264 among the codecs of the video, got ${received}. Add H.264 first.`);
      }
      const { keySource, scheme } = deps;
      if (keepsPrevious && isSame(current, { scheme, systems: chooseSystems(keySource.systems, settings, scheme) })) {
        await inTransaction(deps.db, (tx) => announcePackaged(tx, key));
        return;
      }
      await storeKeys(key, { settings, keepsPrevious, isFirst: false }, deps, signal);
    },
    async protectNew(key, signal) {
      const { settings, current } = await loadPackageable(deps.db, key);
      if (current !== null) return true;
      if (drmModeOf(settings) !== 'enterprise') return false;
      await storeKeys(key, { settings, keepsPrevious: true, isFirst: true }, deps, signal);
      return true;
    },
  };
}

type Packaging = { scheme: SchemeName; systems: readonly DrmSystem[] };

function isSame(current: Packaging | null, wanted: Packaging): boolean {
  if (current === null || current.scheme !== wanted.scheme) return false;
  const now = new Set(current.systems);
  return now.size === wanted.systems.length && wanted.systems.every((system) => now.has(system));
}

type Wanted = { settings: LibrarySettings; keepsPrevious: boolean; isFirst: boolean };

async function storeKeys(
  key: MediaKey,
  { settings, keepsPrevious, isFirst }: Wanted,
  { db, secretBox, keySource, scheme }: PackagerDeps,
  signal: AbortSignal,
): Promise<void> {
  const requested = newContentKeys(scheme);
  const systems = chooseSystems(keySource.systems, settings, scheme);
  const { keys, systems: signals } = await keySource.fetchKeys(
    { contentId: key.mediaId, keys: requested, systems },
    signal,
  );
  requireSameKids(requested, keys);
  const keysSealed = secretBox.seal(formatContentKeys(keys));
  await inTransaction(db, (tx) => addPackage(tx, key, { scheme, keysSealed, signals, keepsPrevious }, isFirst));
}
