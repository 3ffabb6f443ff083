/**
 * Why no index of a file can be made; stable and machine readable. `not-mp4`: the bytes are no MP4 or MOV;
 * `no-moov`, `moov-too-large`, `truncated`, `fragmented`: the top level; `no-h264-track`,
 * `parameter-sets-in-band` (avc3), `several-descriptions`, `external-data`: the track; `too-many-samples`
 * and `corrupt`: its tables.
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

/** Thrown by the box and table readers of this folder; the index turns it into a `refused` answer. */
export class Mp4Fault extends Error {
  readonly kind: Mp4FaultKind;

  constructor(kind: Mp4FaultKind, message: string) {
    super(message);
    this.name = 'Mp4Fault';
    this.kind = kind;
  }
}
