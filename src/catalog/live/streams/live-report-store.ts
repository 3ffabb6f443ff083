import type { Guid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { Db, MediaKey } from '../../db.ts';
import type { BitrateSample } from '../live-stream.ts';

/** URLs of one ingest process, by protocol. */
export type IngestAddresses = Partial<Record<'rtmp' | 'rtmps' | 'srt' | 'whip', string>>;

/** Reports of ingest processes about streams. */
export type LiveReportStore = {
  /**
   * Returns the one-second samples between two times, both inclusive, oldest first; at most the latest 43,200. Throws
   * `Refused` (`not-found`) for an unknown stream.
   */
  bitrates(key: MediaKey, range: { from: Date | null; to: Date | null }): Promise<BitrateSample[]>;
  /**
   * Returns the times of the stills of a stream that were created between two times, newest first. Throws `Refused`
   * (`not-found`) for an unknown stream.
   */
  stills(key: MediaKey, wanted: { from: Date | null; to: Date | null; limit: number }): Promise<Date[]>;
  /** Returns the publisher URLs, by protocol, of at most two running ingest processes, the least busy first. */
  ingestAddresses(): Promise<IngestAddresses[]>;
};

const MAX_SAMPLES = 43_200;
/** Time after which an ingest process that sends no reports is ignored, in ms. Processes report each second. */
const SILENT_MS = 15_000;
const INGEST_NODES = 2;

export function createLiveReportStore(db: Db): LiveReportStore {
  return {
    async bitrates(key, { from, to }) {
      await requireStream(db, key);
      const rows = await db
        .selectFrom('live_bitrate')
        .select('samples')
        .where('stream_id', '=', key.mediaId)
        // A row begins up to ten seconds before its last sample.
        .$if(from !== null, (all) => all.where('at', '>=', new Date(Number(from) - 10_000)))
        .$if(to !== null, (all) => all.where('at', '<=', to))
        .orderBy('at', 'desc')
        .limit(MAX_SAMPLES / 10)
        .execute();
      const samples = rows.reverse().flatMap((row) => row.samples);
      return samples.filter(({ atMs }) => atMs >= Number(from ?? 0) && atMs <= Number(to ?? Number.POSITIVE_INFINITY));
    },
    async stills(key, { from, to, limit }) {
      await requireStream(db, key);
      const rows = await db
        .selectFrom('live_thumbnail')
        .select('at')
        .where('stream_id', '=', key.mediaId)
        .$if(from !== null, (all) => all.where('at', '>=', from))
        .$if(to !== null, (all) => all.where('at', '<=', to))
        .orderBy('at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ at }) => at);
    },
    async ingestAddresses() {
      const rows = await db
        .selectFrom('live_node')
        .select('endpoints')
        .where('heartbeat_at', '>', new Date(Date.now() - SILENT_MS))
        .orderBy('publishers')
        .orderBy('id')
        .limit(INGEST_NODES)
        .execute();
      return rows.map(({ endpoints }) => endpoints);
    },
  };
}

async function requireStream(db: Db, { libraryId, mediaId }: { libraryId: number; mediaId: Guid }): Promise<void> {
  const row = await db
    .selectFrom('live_stream')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row !== undefined) return;
  throw new Refused('not-found', `Live stream ${mediaId} in library ${libraryId} not found. Check the id.`);
}
