/**
 * State of a video or a live stream in an open player page, which reads it again while something may still change.
 * Times are in seconds of the media, except for names that end in `Ms`, which are milliseconds of the Unix epoch.
 */
export type PlayerState = {
  revision: number;
  title: string;
  phase: PlayerPhase;
  /** Source that can be played now; null if there is none. */
  source: PlayerSource | null;
  posterUrl: string | null;
  details: PlayerDetails;
  /**
   * Ticket that the page sends with its beacons (`catalog/statistics/sessions/viewing-ticket.ts`), and the buckets of
   * its heat.
   */
  viewing: { ticket: string; bucketSec: number; bucketCount: number };
};

export type PlayerPhase = VideoPhase | StreamPhase;

export type VideoPhase =
  /** The file has not been received yet. */
  | { kind: 'waiting' }
  /** It is being encoded. With a source, its beginning is already playable. */
  | { kind: 'processing'; percent: number }
  | { kind: 'finished' }
  /** `reason` is a code of the catalogue, or a sentence. */
  | { kind: 'failed'; reason: string };

export type StreamPhase =
  | { kind: 'countdown'; startsAtMs: number }
  | { kind: 'awaiting-publisher' }
  /** Already published, but only shown with an embed token: viewers wait for the start. */
  | { kind: 'preview'; live: LiveWindow }
  | { kind: 'live'; live: LiveWindow }
  /** The publisher's connection is lost and may come back. Received media continues to play. */
  | { kind: 'reconnecting'; sinceMs: number; live: LiveWindow }
  | { kind: 'stream-ended' }
  /** The stream has ended, and its recording is being converted to a video at the same URL. */
  | { kind: 'converting'; percent: number };

export type LiveWindow = {
  /** How far back a viewer may seek, in seconds; 0 without a window. */
  dvrSec: number;
  /** Distance behind the publisher that a player should keep. */
  targetLatencySec: number;
  /** Current visits that are playing; null if unknown. */
  viewers: number | null;
};

export type PlayerSource = {
  playlistUrl: string;
  /** The same as a DASH manifest; null if there is none. */
  manifestUrl: string | null;
  /** The whole length as far as known; 0 for a live stream. */
  durationSec: number;
  /** False for audio only. */
  hasPicture: boolean;
  /** Ids of the listed renditions. When they change, an open player reloads the playlist. */
  renditions: readonly string[];
  /** Protection. An open player also reloads the playlist when this changes. Null if unprotected. */
  drm: PlayerDrm | null;
};

/**
 * `tag` identifies the keys. `licenceUrls` are keyed by the browsers' names of the key systems. `certificateUrl` is
 * FairPlay's.
 */
export type PlayerDrm = { tag: string; licenceUrls: Readonly<Record<string, string>>; certificateUrl: string | null };

export type PlayerDetails = {
  chapters: readonly { title: string; startSec: number; endSec: number }[];
  captions: readonly { language: string; label: string; url: string }[];
  /** A WebVTT file whose cues name parts of the storyboard's sheets. */
  storyboardUrl: string | null;
  /** How often each part of equal length was watched, 0 to 100; null if not shown. */
  heat: readonly number[] | null;
  /** A placeholder of the poster (https://blurha.sh), until the image is loaded. */
  blurhash: string | null;
};
