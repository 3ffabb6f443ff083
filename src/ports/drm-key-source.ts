import type { Guid } from '../lib/guid.ts';

/** A protection scheme of common encryption, by the four letters of its schm box (ISO 23001-7 section 10). */
export type SchemeName = 'cenc' | 'cbcs';

/** Renditions that share a key: audio, pictures below 720p, pictures from 720p on. */
export type KeyGroup = 'audio' | 'sd' | 'hd';

/** An AES-128 key with its public id. `key` and `constantIv` are 16 bytes. The IV is only used with `cbcs`. */
export type ContentKey = { kid: Guid; key: Buffer; constantIv: Buffer };

/** The keys of one video. Only one scheme: no key is ever used in two modes. */
export type ContentKeys = { scheme: SchemeName; groups: Readonly<Record<KeyGroup, ContentKey>> };

/** A protection system that a key server may support. */
export type DrmSystem = 'widevine' | 'playReady' | 'fairPlay';

/** Signals of a key source for one key and one system; null where it has none. */
export type SystemSignals = {
  system: DrmSystem;
  group: KeyGroup;
  /** The whole pssh box. */
  pssh: Buffer | null;
  /** EXT-X-KEY lines for media playlists. */
  hlsMedia: string | null;
  /** EXT-X-SESSION-KEY lines for multivariant playlists. */
  hlsMultivariant: string | null;
  /** ContentProtection elements for DASH, as XML text. */
  contentProtection: string | null;
};

/**
 * A request to a key source. `keys` contains the key ids and proposes keys. Its scheme must be supported by all
 * `systems`.
 */
export type KeyRequest = { contentId: string; keys: ContentKeys; systems: readonly DrmSystem[] };

/** The keys to encrypt with, under the requested key ids, and the signals of each system for manifests. */
export type KeyAnswer = { keys: ContentKeys; systems: SystemSignals[] };

/** Source of the keys of protected videos: our own, or a key server that licence servers also use. */
export type DrmKeySource = {
  /**
   * Systems for which it can provide keys and signals. If empty, players get their keys from our own licence server.
   */
  systems: readonly DrmSystem[];
  /**
   * Requests or confirms the keys of a video. Throws `Refused` with a readable reason: `unavailable` if the source
   * currently gives none, `unprocessable` if it refuses or its response is not usable.
   */
  fetchKeys(request: KeyRequest, signal: AbortSignal): Promise<KeyAnswer>;
};
