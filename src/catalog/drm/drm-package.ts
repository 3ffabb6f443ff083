import { kidsOf } from '../../media/drm/keys/content-keys.ts';
import type { ContentKeys, DrmSystem, SchemeName, SystemSignals } from '../../ports/drm-key-source.ts';
import type { LibrarySettings } from '../libraries/library-settings.ts';
import type { StoredSignals } from './drm-schema.ts';

/** Set of keys that encrypts a media item. `retiredAt` is null for the set that playlists reference. */
export type DrmPackage = {
  number: number;
  scheme: SchemeName;
  /** Output of `formatContentKeys`, sealed. */
  keysSealed: Buffer;
  /** The key server's signalling for its systems. Empty if our own licence server provides the keys. */
  signals: readonly SystemSignals[];
  retiredAt: Date | null;
};

/**
 * DRM mode of a library's videos. `none`: no encryption. `basic`: keys per play session. `enterprise`: common
 * encryption with separate keys for each video.
 */
export type DrmMode = 'none' | 'basic' | 'enterprise';

/** Returns the DRM mode that a library's settings select. */
export function drmModeOf({ drm }: Pick<LibrarySettings, 'drm'>): DrmMode {
  if (!drm.enabled) return 'none';
  return drm.version === 'enterprise' ? 'enterprise' : 'basic';
}

/**
 * Returns the systems to request from a key source: those that it supports, the library has enabled, and the scheme
 * allows.
 */
export function chooseSystems(
  offered: readonly DrmSystem[],
  { drm }: Pick<LibrarySettings, 'drm'>,
  scheme: SchemeName,
): DrmSystem[] {
  const isWanted: Readonly<Record<DrmSystem, boolean>> = {
    widevine: drm.widevine.enabled,
    // The hosted API has no setting for PlayReady.
    playReady: true,
    fairPlay: drm.fairPlay.enabled && scheme === 'cbcs',
  };
  return offered.filter((system) => isWanted[system]);
}

/**
 * Throws unless a response contains exactly the requested key ids, because the media could not be decrypted with other
 * keys.
 */
export function requireSameKids(requested: ContentKeys, received: ContentKeys): void {
  const [expected, got] = [requested, received].map((keys) => `${kidsOf(keys).join()} of scheme ${keys.scheme}`);
  if (got === expected) return;
  throw new Error(`Expected the requested key ids and scheme (${expected}) from the key source, got ${got}.`);
}

/** Converts signals to their stored form. */
export function storeSignals(signals: readonly SystemSignals[]): StoredSignals[] {
  return signals.map((signal) => ({ ...signal, pssh: signal.pssh?.toString('base64') ?? null }));
}

/** Restores the output of `storeSignals`. */
export function readSignals(stored: readonly StoredSignals[]): SystemSignals[] {
  return stored.map((signal) => ({
    ...signal,
    pssh: signal.pssh === null ? null : Buffer.from(signal.pssh, 'base64'),
  }));
}
