import { BrokenMedia } from '../bmff/broken-media.ts';

/**
 * Stable, machine-readable reason why a file cannot be indexed. `not-mp4`: not an MP4 or MOV. `no-moov`,
 * `moov-too-large`, `truncated`, `fragmented`: the top level. `no-h264-track`, `parameter-sets-in-band` (avc3),
 * `several-descriptions`, `external-data`: the track. `too-many-samples` and `corrupt`: its tables.
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
 * Thrown if a file is intact but cannot be indexed. The index converts this error, and BrokenMedia (`corrupt`), into a
 * `refused` result.
 */
export class Mp4Fault extends Error {
  readonly kind: Mp4FaultKind;

  constructor(kind: Mp4FaultKind, message: string) {
    super(message);
    this.name = 'Mp4Fault';
    this.kind = kind;
  }
}

/** Converts a fault of the bytes, or of their contents, into a refusal. Returns null for any other error. */
export function toRefusal(error: unknown): { kind: 'refused'; reason: Mp4FaultKind; message: string } | null {
  if (error instanceof Mp4Fault) return { kind: 'refused', reason: error.kind, message: error.message };
  if (error instanceof BrokenMedia) return { kind: 'refused', reason: 'corrupt', message: error.message };
  return null;
}
