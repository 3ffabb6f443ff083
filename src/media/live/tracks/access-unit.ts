/** Ticks per second of video on a live timeline (the clock of ISO 13818-1, with 90 ticks per ms). */
export const VIDEO_TIMESCALE = 90_000;

/**
 * Decoder configuration of a track, and everything else that an init segment needs. Tracks with equal `parameters` need
 * the same decoder configuration.
 */
export type TrackConfig = {
  kind: 'video' | 'audio';
  /** Ticks per second: 90,000 for video, the sample rate for audio. */
  timescale: number;
  /** The whole sample entry box (ISO 14496-12 section 8.5.2). */
  sampleEntry: Buffer;
  widthPx: number;
  heightPx: number;
  /** Frame rate declared by the encoder, or 0 if it declares none. */
  frameRate: number;
  /** Samples of one audio frame. 0 for video. */
  frameTicks: number;
  /** A silent frame for the decoder of this track. Null for video, or if none is known. */
  silence: Buffer | null;
};

/** One coded frame. Frames are in decode order. Times are in ms of the publisher's clock, unwrapped, and may jump. */
export type AccessUnit = {
  kind: 'video' | 'audio';
  dtsMs: number;
  ptsMs: number;
  isKey: boolean;
  bytes: Buffer;
};

/** Events of a publisher's stream, the same for every protocol. */
export type LiveEvent = { type: 'config'; config: TrackConfig } | { type: 'unit'; unit: AccessUnit };
