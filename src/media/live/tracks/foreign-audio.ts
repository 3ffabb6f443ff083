import type { LiveEvent } from './access-unit.ts';

/**
 * Audio that is encoded to AAC before it is packaged: one or more frames. `ptsMs` is of the publisher's clock,
 * unwrapped.
 */
export type ForeignAudio = {
  format: 'mp2' | 'ac3' | 'eac3' | 'opus';
  /** As the publisher's description says; 1 to 8. */
  channels: number;
  ptsMs: number;
  bytes: Buffer;
};

/** What a protocol's reader brings forth: what can be packaged as it is, and audio that cannot. */
export type IngestEvent = LiveEvent | { type: 'foreign'; audio: ForeignAudio };
