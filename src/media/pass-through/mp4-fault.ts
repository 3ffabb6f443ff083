import { BrokenMedia } from '../bmff/broken-media.ts';

/**
 * Reason why a file cannot be indexed; stable and machine readable. `not-mp4`: not an MP4 or MOV; `no-moov`,
 * `moov-too-large`, `truncated`, `fragmented`: the top level; `no-h264-track`, `parameter-sets-in-band` (avc3),
 * `several-descriptions`, `external-data`: the track; `too-many-samples` and `corrupt`: its tables.
 */
export type Mp4FaultKind =
  | 'not-mp4'
  | 'no-moov'
  | 'moov-too-large'
  | 'truncated'
  | 'fragmented'
  | 'no-h264-track'
  | 'parameter-sets-in-band'
  | 'several-descriptions'
  | 'external-data'
  | 'too-many-samples'
  | 'corrupt';

/**
 * Thrown if the bytes are intact but cannot be indexed. The index converts it, and BrokenMedia (`corrupt`), into a
 * `refused` answer.
 */
export class Mp4Fault extends Error {
  readonly kind: Mp4FaultKind;

  constructor(kind: Mp4FaultKind, message: string) {
    super(message);
    this.name = 'Mp4Fault';
    this.kind = kind;
  }
}

/** Converts a fault of the bytes, or of what they describe, into a refusal. Returns null for any other error. */
export function toRefusal(error: unknown): { kind: 'refused'; reason: Mp4FaultKind; message: string } | null {
  if (error instanceof Mp4Fault) return { kind: 'refused', reason: error.kind, message: error.message };
  if (error instanceof BrokenMedia) return { kind: 'refused', reason: 'corrupt', message: error.message };
  return null;
}
