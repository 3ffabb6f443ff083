/**
 * State of a video or live stream in an open player page, which polls it while something may still change. Times are in
 * seconds of the media. Fields ending in `Ms` are milliseconds since 1970.
 */
export type PlayerState = {
  revision: number;
  title: string;
  phase: PlayerPhase;
  /** Source that can be played now, or null if there is none. */
  source: PlayerSource | null;
  posterUrl: string | null;
  details: PlayerDetails;
  /**
   * Ticket that the page sends with its beacons (`catalog/statistics/sessions/viewing-ticket.ts`), and the buckets of
   * its heat curve.
   */
  viewing: { ticket: string; bucketSec: number; bucketCount: number };
};

export type PlayerPhase = VideoPhase | StreamPhase;

export type VideoPhase =
  /** The upload is not complete. */
  | { kind: 'waiting' }
  /** The video is being encoded. If there is a source, its beginning is already playable. */
  | { kind: 'processing'; percent: number }
  | { kind: 'finished' }
  /** `reason` is an error code of the catalogue, or a sentence. */
  | { kind: 'failed'; reason: string };

export type StreamPhase =
  | { kind: 'countdown'; startsAtMs: number }
  | { kind: 'awaiting-publisher' }
  /** Published, but only shown with an embed token. Other viewers wait for the start. */
  | { kind: 'preview'; live: LiveWindow }
  | { kind: 'live'; live: LiveWindow }
  /** The publisher's connection is lost and may return. Received media continues to play. */
  | { kind: 'reconnecting'; sinceMs: number; live: LiveWindow }
  | { kind: 'stream-ended' }
  /** The stream has ended. Its recording is being converted to a video at the same URL. */
  | { kind: 'converting'; percent: number };

export type LiveWindow = {
  /** Maximum time in seconds by which viewers can seek back, or 0 without a DVR window. */
  dvrSec: number;
  /** Target latency of the player behind the publisher, in seconds. */
  targetLatencySec: number;
  /** Number of sessions that are playing now, or null if unknown. */
  viewers: number | null;
};

export type PlayerSource = {
  playlistUrl: string;
  /** DASH manifest of the same media, or null if there is none. */
  manifestUrl: string | null;
  /** Length of the media as far as known, in seconds. 0 for a live stream. */
  durationSec: number;
  /** False for media with audio only. */
  hasPicture: boolean;
  /**
   * Ids of the listed renditions. When they change, an open player reloads the playlist. For a live stream, ids of the
   * newest video if the edge knows it. A player without a picture reloads the playlist when the video begins.
   */
  renditions: readonly string[];
  /** Protection, or null if unprotected. An open player also reloads the playlist when this changes. */
  drm: PlayerDrm | null;
};

/**
 * `tag` identifies the keys. The keys of `licenceUrls` are the browsers' names of the key systems. `certificateUrl` is
 * the FairPlay certificate.
 */
export type PlayerDrm = { tag: string; licenceUrls: Readonly<Record<string, string>>; certificateUrl: string | null };

export type PlayerDetails = {
  chapters: readonly { title: string; startSec: number; endSec: number }[];
  captions: readonly { language: string; label: string; url: string }[];
  /** WebVTT file whose cues refer to regions of the storyboard sheets. */
  storyboardUrl: string | null;
  /** Image of the waveform, which the player shows for media with audio only, or null if there is none. */
  waveformUrl: string | null;
  /** Relative number of plays for each part of equal length, 0 to 100, or null if not shown. */
  heat: readonly number[] | null;
  /** Placeholder of the poster (https://blurha.sh) until the image is loaded. */
  blurhash: string | null;
};
