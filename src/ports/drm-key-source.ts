import type { Guid } from '../lib/guid.ts';

/** A protection scheme of common encryption, by the four letters of its schm box (ISO 23001-7 section 10). */
export type SchemeName = 'cenc' | 'cbcs';

/** Renditions that share a key: audio, pictures below 720p, pictures from 720p on. */
export type KeyGroup = 'audio' | 'sd' | 'hd';

/** An AES-128 key with its public id. `key` and `constantIv` are 16 bytes; the IV serves `cbcs` alone. */
export type ContentKey = { kid: Guid; key: Buffer; constantIv: Buffer };

/** The keys of one video. One scheme only: no key is ever used in two modes. */
export type ContentKeys = { scheme: SchemeName; groups: Readonly<Record<KeyGroup, ContentKey>> };

/** A protection system that a key server may speak for. */
export type DrmSystem = 'widevine' | 'playReady' | 'fairPlay';

/** What a key source says for one key and one system; null where it says nothing. */
export type SystemSignals = {
  system: DrmSystem;
  group: KeyGroup;
  /** The whole box. */
  pssh: Buffer | null;
  /** EXT-X-KEY lines for media playlists. */
  hlsMedia: string | null;
  /** EXT-X-SESSION-KEY lines for multivariant playlists. */
  hlsMultivariant: string | null;
  /** ContentProtection elements for DASH, as XML text. */
  contentProtection: string | null;
};

/** What is asked of a key source. `keys` gives the key ids and proposes keys; its scheme must suit all `systems`. */
export type KeyRequest = { contentId: string; keys: ContentKeys; systems: readonly DrmSystem[] };

/** The keys to encrypt with, under the key ids that were requested, and what manifests say of each system. */
export type KeyAnswer = { keys: ContentKeys; systems: SystemSignals[] };

/** Where the keys of protected videos come from: our own, or a key server that licence servers know too. */
export type DrmKeySource = {
  /** The systems that it can give keys and signals for; of none, players get their keys from our own licence server. */
  systems: readonly DrmSystem[];
  /**
   * Has the keys of a video made or confirmed. Refuses, in words for people: `unavailable` when the source gives none
   * for now, `unprocessable` when it says no or answers what cannot be used.
   */
  fetchKeys(request: KeyRequest, signal: AbortSignal): Promise<KeyAnswer>;
};
