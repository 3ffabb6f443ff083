/**
 * What an open player page knows of a video or a live stream; it reads this again while something may still change.
 * Times are in seconds of the media, but for names that end in `Ms`: those are milliseconds of the Unix epoch.
 */
export type PlayerState = {
  revision: number;
  title: string;
  phase: PlayerPhase;
  /** What can be played now; null while nothing can. */
  source: PlayerSource | null;
  posterUrl: string | null;
  details: PlayerDetails;
  /** What the page shows with its beacons (`catalog/statistics/sessions/viewing-ticket.ts`), and how it counts heat. */
  viewing: { ticket: string; bucketSec: number; bucketCount: number };
};

export type PlayerPhase = VideoPhase | StreamPhase;

export type VideoPhase =
  /** The file has not come yet. */
  | { kind: 'waiting' }
  /** It is being encoded; with a source, its beginning plays already. */
  | { kind: 'processing'; percent: number }
  | { kind: 'finished' }
  /** `reason` is a code of the catalogue, or a sentence. */
  | { kind: 'failed'; reason: string };

export type StreamPhase =
  | { kind: 'countdown'; startsAtMs: number }
  | { kind: 'awaiting-publisher' }
  /** Published already, and shown to those alone who hold an embed token: viewers wait for the start. */
  | { kind: 'preview'; live: LiveWindow }
  | { kind: 'live'; live: LiveWindow }
  /** The publisher's connection is lost and may come back; what was received plays on. */
  | { kind: 'reconnecting'; sinceMs: number; live: LiveWindow }
  | { kind: 'stream-ended' }
  /** The stream is over, and its recording is being made into a video at the same address. */
  | { kind: 'converting'; percent: number };

export type LiveWindow = {
  /** How far back a viewer may seek; 0 without a window. */
  dvrSec: number;
  /** How far behind the publisher a player should stay. */
  targetLatencySec: number;
  /** Visits with a moving picture now; null while that is not known. */
  viewers: number | null;
};

export type PlayerSource = {
  playlistUrl: string;
  /** The same as a DASH manifest; null where there is none. */
  manifestUrl: string | null;
  /** The whole length as far as it is known; 0 for a live stream. */
  durationSec: number;
  /** False for audio alone. */
  hasPicture: boolean;
  /** Ids of the listed renditions: when they change, an open player reads the playlist again. */
  renditions: readonly string[];
  /** How it is protected; an open player reads the playlist again when this changes too. Null in the clear. */
  drm: PlayerDrm | null;
};

/**
 * `tag` stands for the keys; `licenceUrls` are those of the key systems by their names in the browser;
 * `certificateUrl` is FairPlay's.
 */
export type PlayerDrm = { tag: string; licenceUrls: Readonly<Record<string, string>>; certificateUrl: string | null };

export type PlayerDetails = {
  chapters: readonly { title: string; startSec: number; endSec: number }[];
  captions: readonly { language: string; label: string; url: string }[];
  /** A WebVTT file whose cues name parts of the storyboard's sheets. */
  storyboardUrl: string | null;
  /** How often each stretch of equal length was watched, 0 to 100; null when that is not shown. */
  heat: readonly number[] | null;
  /** A placeholder of the poster (https://blurha.sh), until the image is there. */
  blurhash: string | null;
};
