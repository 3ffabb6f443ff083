/** Ticks a second of video on a live timeline (ISO 13818-1's clock; a millisecond is 90). */
export const VIDEO_TIMESCALE = 90_000;

/** What a track's decoder must know, and all that an init segment is made of. Equal `parameters` decode alike. */
export type TrackConfig = {
  kind: 'video' | 'audio';
  /** Ticks a second: 90,000 for video, the sample rate for audio. */
  timescale: number;
  /** The whole sample entry box (ISO 14496-12 section 8.5.2). */
  sampleEntry: Buffer;
  widthPx: number;
  heightPx: number;
  /** Of the encoder's own word; 0 where it gives none. */
  frameRate: number;
  /** Samples of one audio frame; 0 for video. */
  frameTicks: number;
  /** A frame of silence for the decoder of this track; null for video, and where none is known. */
  silence: Buffer | null;
};

/** One coded frame in decode order. Times in ms of the publisher's clock, unwrapped; they may jump. */
export type AccessUnit = {
  kind: 'video' | 'audio';
  dtsMs: number;
  ptsMs: number;
  isKey: boolean;
  bytes: Buffer;
};

/** What a publisher's stream is, whatever protocol it came by. */
export type LiveEvent = { type: 'config'; config: TrackConfig } | { type: 'unit'; unit: AccessUnit };
