import { kidsOf } from '../../media/drm/keys/content-keys.ts';
import type { ContentKeys, DrmSystem, SchemeName, SystemSignals } from '../../ports/drm-key-source.ts';
import type { LibrarySettings } from '../libraries/library-settings.ts';
import type { StoredSignals } from './drm-schema.ts';

/** A set of keys under which a media is given out. `retiredAt` is null for the one that playlists name. */
export type DrmPackage = {
  number: number;
  scheme: SchemeName;
  /** What `formatContentKeys` writes, sealed. */
  keysSealed: Buffer;
  /** What a key server says of its systems; empty where our own licence server gives out the keys. */
  signals: readonly SystemSignals[];
  retiredAt: Date | null;
};

/**
 * How a library's videos are given out: in the clear, encrypted under keys of each play session (basic), or, those
 * that have keys of their own, by common encryption (enterprise).
 */
export type DrmMode = 'none' | 'basic' | 'enterprise';

/** The mode that a library's settings choose. */
export function drmModeOf({ drm }: Pick<LibrarySettings, 'drm'>): DrmMode {
  if (!drm.enabled) return 'none';
  return drm.version === 'enterprise' ? 'enterprise' : 'basic';
}

/**
 * The systems to ask a key source for: of those that it supports, what the library has switched on and the scheme
 * suits.
 */
export function chooseSystems(
  offered: readonly DrmSystem[],
  { drm }: Pick<LibrarySettings, 'drm'>,
  scheme: SchemeName,
): DrmSystem[] {
  const isWanted: Readonly<Record<DrmSystem, boolean>> = {
    widevine: drm.widevine.enabled,
    // The interface has no switch for it.
    playReady: true,
    fairPlay: drm.fairPlay.enabled && scheme === 'cbcs',
  };
  return offered.filter((system) => isWanted[system]);
}

/** Throws unless an answer is for the very key ids that were requested: other ones would decrypt nothing. */
export function requireSameKids(requested: ContentKeys, came: ContentKeys): void {
  if (came.scheme === requested.scheme && kidsOf(came).join() === kidsOf(requested).join()) return;
  throw new Error('Expected a key source to answer the key ids and the scheme that it was asked for.');
}

/** The stored form of signals. */
export function storeSignals(signals: readonly SystemSignals[]): StoredSignals[] {
  return signals.map((signal) => ({ ...signal, pssh: signal.pssh?.toString('base64') ?? null }));
}

/** Reads what `storeSignals` made. */
export function readSignals(stored: readonly StoredSignals[]): SystemSignals[] {
  return stored.map((signal) => ({
    ...signal,
    pssh: signal.pssh === null ? null : Buffer.from(signal.pssh, 'base64'),
  }));
}
