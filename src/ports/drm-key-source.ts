import type { Guid } from '../lib/guid.ts';

/** A protection scheme of common encryption, named after the four letters in the schm box (ISO 23001-7 section 10). */
export type SchemeName = 'cenc' | 'cbcs';

/** Renditions that share a key: audio, video below 720p, and video from 720p on. */
export type KeyGroup = 'audio' | 'sd' | 'hd';

/** An AES-128 key with its public id. `key` and `constantIv` are 16 bytes. The IV is only used with `cbcs`. */
export type ContentKey = { kid: Guid; key: Buffer; constantIv: Buffer };

/** The keys of one video. There is only one scheme, so that no key is used in two modes. */
export type ContentKeys = { scheme: SchemeName; groups: Readonly<Record<KeyGroup, ContentKey>> };

/** A protection system that a key server may support. */
export type DrmSystem = 'widevine' | 'playReady' | 'fairPlay';

/**
 * Manifest signals of a key source for one key and one DRM system. A field is null if the source has no such signal.
 */
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
 * A request to a key source. `keys` contains the key ids and proposed keys. All `systems` must support the scheme of
 * `keys`.
 */
export type KeyRequest = { contentId: string; keys: ContentKeys; systems: readonly DrmSystem[] };

/** Keys for encryption, with the requested key ids, and the manifest signals of each system. */
export type KeyAnswer = { keys: ContentKeys; systems: SystemSignals[] };

/** Source of the keys of protected videos: the built-in one, or a key server that licence servers also use. */
export type DrmKeySource = {
  /**
   * Systems for which the source provides keys and signals. If empty, players get their keys from the built-in licence
   * server.
   */
  systems: readonly DrmSystem[];
  /**
   * Requests or confirms the keys of a video. Throws `Refused` with a readable reason: `unavailable` if the source is
   * temporarily unavailable, `unprocessable` if it refuses or its response is not usable.
   */
  fetchKeys(request: KeyRequest, signal: AbortSignal): Promise<KeyAnswer>;
};
