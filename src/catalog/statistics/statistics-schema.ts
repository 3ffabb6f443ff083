import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

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
};

/** Sums of a video in an hour and a country (empty where unknown). They outlive the video. */
type StatHourTable = {
  library_id: number;
  media_id: Guid;
  hour: Date;
  country: string;
  views: number;
  watch_sec: number;
};

/** The same over all videos of a library. */
type StatLibraryHourTable = Omit<StatHourTable, 'media_id'>;

/** How often each bucket of a media was played, in `sessions` sessions. */
type MediaHeatTable = {
  library_id: number;
  media_id: Guid;
  bucket_sec: number;
  sessions: number;
  counts: Buffer;
};

export type StatisticsSchema = {
  view_session: ViewSessionTable;
  stat_hour: StatHourTable;
  stat_library_hour: StatLibraryHourTable;
  media_heat: MediaHeatTable;
};
