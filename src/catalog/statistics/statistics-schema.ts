import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Verdict } from './sums/statistics-gain.ts';

/** A viewing session; partitioned by the day of `start_hour`. */
type ViewSessionTable = {
  start_hour: Date;
  session_id: Guid;
  library_id: number;
  media_id: Guid;
  sequence: number;
  country: Generated<string>;
  device: Generated<string>;
  referrer_host: Generated<string>;
  watched_sec: Generated<number[]>;
  heat: Generated<Buffer>;
  startup_ms: number | null;
  stall_count: Generated<number>;
  stall_ms: Generated<number>;
  failures: Generated<number>;
  /** Time when its newest beacon was written. */
  seen_at: Generated<Date>;
  /** Seconds watched by video height. */
  rung_sec: Generated<Record<string, number>>;
  /** Derived from segment requests of another player. */
  is_estimate: Generated<boolean>;
  /** True if its viewer is in the sketch of the day. */
  is_sketched: Generated<boolean>;
  /** Verdict on whether it counts as a view (`judge-session.ts`). */
  verdict: Generated<Verdict>;
  /** Seconds that were claimed but not counted. */
  discarded_sec: Generated<number>;
};

/** Sums of a video by hour and country (empty if unknown). They outlive the video. */
type StatHourTable = {
  library_id: number;
  media_id: Guid;
  hour: Date;
  country: string;
  views: number;
  watch_sec: number;
  /** Estimates for other players, whether or not they are also in `views` and `watch_sec`. */
  estimated_views: Generated<number>;
  estimated_watch_sec: Generated<number>;
};

/** Sums by hour and country over all videos of a library. */
type StatLibraryHourTable = Omit<StatHourTable, 'media_id'>;

/**
 * Sums by day. The facts of a session belong to the day on which it began. `kind` and `value` as in `audience-fact.ts`.
 */
type StatDayTable = {
  library_id: number;
  media_id: Guid;
  day: string;
  kind: string;
  value: string;
  sessions: number;
  amount: number;
};

/**
 * `counts`: number of times that each bucket of a media item was played, in `sessions` sessions. `reached`: how many of
 * `reached_sessions` sessions played it.
 */
type MediaHeatTable = {
  library_id: number;
  media_id: Guid;
  bucket_sec: number;
  sessions: number;
  counts: Buffer;
  reached: Generated<Buffer>;
  reached_sessions: Generated<number>;
};

/** Distinct viewers of a day (`viewer-sketch.ts`). */
type ViewerSketchTable = { library_id: number; media_id: Guid; day: string; registers: Buffer };

/** Salt that hashes a day's viewers; deleted two days later. */
type ViewerSaltTable = { day: string; salt: Buffer };

/** Bytes that an edge process sent in an hour so far. */
type DeliveredHourTable = { library_id: number; media_id: Guid; hour: Date; writer: Guid; bytes: number };

/** Deliveries to a viewer of a video, and the part already counted (`judge-session.ts`). */
type ViewEvidenceTable = {
  viewer_id: Guid;
  delivered_ms: Generated<number>;
  used_sec: Generated<number>;
  passes: Generated<number>;
  views: Generated<number>;
  window_ms: Generated<number>;
  first_ms: number;
  seen_ms: number;
};

export type StatisticsSchema = {
  view_evidence: ViewEvidenceTable;
  view_session: ViewSessionTable;
  stat_hour: StatHourTable;
  stat_library_hour: StatLibraryHourTable;
  stat_day: StatDayTable;
  media_heat: MediaHeatTable;
  viewer_sketch: ViewerSketchTable;
  viewer_salt: ViewerSaltTable;
  delivered_hour: DeliveredHourTable;
};
