import type { AesMode, EncryptInPlace } from '../../../lib/aes.ts';
import type { SchemeName } from '../../../ports/drm-key-source.ts';
import type { Subsample } from '../subsamples/subsample.ts';

/** Blocks of 16 bytes that are encrypted and then skipped, over and over (ISO 23001-7 section 9.6). */
export type BlockPattern = { cryptBlocks: number; skipBlocks: number };

/**
 * One sample to encrypt in place. `subsamples` null: all of it is protected. `iv` is the sample's own, or the key's
 * constant one. `encrypt` is opened for the key and the scheme's mode.
 */
export type SampleJob = {
  bytes: Buffer;
  subsamples: readonly Subsample[] | null;
  encrypt: EncryptInPlace;
  iv: Buffer;
};

/** A protection scheme of ISO 23001-7 section 10: one file each, listed in `all.ts`. */
export type ProtectionScheme = {
  /** The schm box's four letters. */
  name: SchemeName;
  /** EXT-X-KEY METHOD (RFC 8216bis section 4.4.4.4). */
  hlsMethod: 'SAMPLE-AES' | 'SAMPLE-AES-CTR';
  aesMode: AesMode;
  /** Bytes of IV that each sample carries; 0 means that the key's constant IV serves all. */
  sampleIvBytes: 0 | 8;
  /** Whether a protected part must be whole blocks. */
  isBlockAligned: boolean;
  /** Pattern of video tracks; null protects every block. Audio has none in either scheme. */
  videoPattern: BlockPattern | null;
  encryptSample: (job: SampleJob) => void;
};
