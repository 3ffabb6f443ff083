/** Ticks per second of video on a live timeline (ISO 13818-1's clock; a millisecond is 90). */
export const VIDEO_TIMESCALE = 90_000;

/**
 * Decoder configuration of a track, and everything that an init segment is made of. Tracks with equal `parameters`
 * decode alike.
 */
export type TrackConfig = {
  kind: 'video' | 'audio';
  /** Ticks per second: 90,000 for video, the sample rate for audio. */
  timescale: number;
  /** The whole sample entry box (ISO 14496-12 section 8.5.2). */
  sampleEntry: Buffer;
  widthPx: number;
  heightPx: number;
  /** As declared by the encoder. 0 if it declares none. */
  frameRate: number;
  /** Samples of one audio frame; 0 for video. */
  frameTicks: number;
  /** A frame of silence for the decoder of this track; null for video, and where none is known. */
  silence: Buffer | null;
};

/** One coded frame, in decode order. Times are in ms of the publisher's clock, unwrapped. They may jump. */
export type AccessUnit = {
  kind: 'video' | 'audio';
  dtsMs: number;
  ptsMs: number;
  isKey: boolean;
  bytes: Buffer;
};

/** Events of a publisher's stream, the same for every protocol. */
export type LiveEvent = { type: 'config'; config: TrackConfig } | { type: 'unit'; unit: AccessUnit };
