import type { LiveEvent } from './access-unit.ts';

/**
 * One or more audio frames that must be encoded to AAC before packaging. `ptsMs` is on the publisher's clock,
 * unwrapped.
 */
export type ForeignAudio = {
  format: 'mp2' | 'ac3' | 'eac3' | 'opus';
  /** Number of channels declared by the publisher, 1 to 8. */
  channels: number;
  ptsMs: number;
  bytes: Buffer;
};

/** Output of a protocol reader: events that can be packaged directly, and audio that cannot. */
export type IngestEvent = LiveEvent | { type: 'foreign'; audio: ForeignAudio };
