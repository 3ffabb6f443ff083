import type { AesMode, EncryptInPlace } from '../../../lib/aes.ts';
import type { SchemeName } from '../../../ports/drm-key-source.ts';
import type { Subsample } from '../subsamples/subsample.ts';

/** Numbers of 16-byte blocks that are alternately encrypted and skipped (ISO 23001-7 section 9.6). */
export type BlockPattern = { cryptBlocks: number; skipBlocks: number };

/**
 * One sample to encrypt in place. If `subsamples` is null, the whole sample is protected. `iv` is the IV of the sample,
 * or the constant IV of the key. `encrypt` is opened with the key and the scheme's mode.
 */
export type SampleJob = {
  bytes: Buffer;
  subsamples: readonly Subsample[] | null;
  encrypt: EncryptInPlace;
  iv: Buffer;
};

/** A protection scheme of ISO 23001-7 section 10. Each scheme has its own file and is listed in `all.ts`. */
export type ProtectionScheme = {
  /** Four-letter code in the schm box. */
  name: SchemeName;
  /** METHOD of EXT-X-KEY (RFC 8216bis section 4.4.4.4). */
  hlsMethod: 'SAMPLE-AES' | 'SAMPLE-AES-CTR';
  aesMode: AesMode;
  /** Bytes of the IV in each sample. 0 if all samples use the key's constant IV. */
  sampleIvBytes: 0 | 8;
  /** Whether protected parts must be whole blocks. */
  isBlockAligned: boolean;
  /** Pattern of video tracks. Null protects every block. Neither scheme uses a pattern for audio. */
  videoPattern: BlockPattern | null;
  encryptSample: (job: SampleJob) => void;
};
