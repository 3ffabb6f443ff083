import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { planSegmentTasks } from './segment-task-store.ts';

/**
 * Channel that tells workers that the requests for a rendition's segments have changed. The payload is the rendition's
 * id.
 */
export const SEGMENT_CHANNEL = 'millrace_jit';

/** A segment that viewers of an edge wait for or have just received, with the following ones that they will need. */
export type SegmentRequest = MediaKey & {
  renditionId: Guid;
  segment: number;
  aheadSegments: number;
  isAwaited: boolean;
  /** Seconds for which the request is valid unless it is renewed. */
  forSec: number;
};

/** Segment requests of one edge. */
export type SegmentRequestStore = {
  /**
   * Writes or renews requests, and a task for segments not being made yet. Skips requests for renditions that no longer
   * exist.
   */
  put(requests: readonly SegmentRequest[]): Promise<void>;
  /** Withdraws a request that no viewer is waiting for any more. */
  drop(request: Pick<SegmentRequest, 'renditionId' | 'segment'>): Promise<void>;
  /** Withdraws all requests of this edge. */
  dropAll(): Promise<void>;
};

export function createSegmentRequestStore(db: Db, edgeId: Guid): SegmentRequestStore {
  return {
    async put(requests) {
      if (requests.length === 0) return;
      // Writes requests and tasks in one transaction, so that a worker that is notified of a request finds its task.
      await inTransaction(db, async (tx) => {
        await putRequests(tx, edgeId, requests);
        await planSegmentTasks(tx, [...new Set(requests.map(({ renditionId }) => renditionId))]);
      });
    },
    async drop({ renditionId, segment }) {
      await sql`
        with gone as (delete from segment_request where rendition_id = ${renditionId} and segment = ${segment}
          and edge_id = ${edgeId} returning rendition_id)
        select pg_notify(${SEGMENT_CHANNEL}, rendition_id::text) from gone
      `.execute(db);
    },
    async dropAll() {
      await sql`
        with gone as (delete from segment_request where edge_id = ${edgeId} returning rendition_id)
        select pg_notify(${SEGMENT_CHANNEL}, rendition_id::text)
        from (select distinct rendition_id from gone) renditions
      `.execute(db);
    },
  };
}

async function putRequests(tx: Tx, edgeId: Guid, requests: readonly SegmentRequest[]): Promise<void> {
  await sql`
    with request as (
      select r.library_id, r.media_id, r.id as rendition_id, w.segment, w.ahead, w.awaited, w.sec
      from jsonb_to_recordset(${JSON.stringify(requests.map(toRecord))}::jsonb)
        as w(library_id bigint, media_id uuid, rendition_id uuid, segment int, ahead int, awaited boolean, sec float8)
      join rendition r on r.library_id = w.library_id and r.media_id = w.media_id and r.id = w.rendition_id
    ), put as (
      insert into segment_request (library_id, media_id, rendition_id, segment, edge_id, ahead_segments, is_awaited,
        wanted_until)
      select library_id, media_id, rendition_id, segment, ${edgeId}::uuid, ahead, awaited,
        now() + make_interval(secs => sec)
      from request
      on conflict (rendition_id, segment, edge_id) do update set ahead_segments = excluded.ahead_segments,
        is_awaited = excluded.is_awaited, wanted_until = excluded.wanted_until
      returning rendition_id
    )
    select pg_notify(${SEGMENT_CHANNEL}, rendition_id::text) from (select distinct rendition_id from put) renditions
  `.execute(tx);
}

function toRecord(request: SegmentRequest): object {
  const { libraryId, mediaId, renditionId, segment, aheadSegments, isAwaited, forSec } = request;
  return {
    library_id: libraryId,
    media_id: mediaId,
    rendition_id: renditionId,
    segment,
    ahead: aheadSegments,
    awaited: isAwaited,
    sec: forSec,
  };
}
