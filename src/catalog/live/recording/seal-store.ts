import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { countInCollection } from '../../collections/collection-store.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../../db.ts';
import { inTransaction, logOnCommit } from '../../in-transaction.ts';
import { countInLibrary } from '../../libraries/count-in-library-store.ts';
import { addMessages } from '../../lifecycle/finalize-store.ts';
import { warningMessage } from '../../lifecycle/messages.ts';
import { mustEnterState } from '../../media-state-store.ts';
import { recountStorage } from '../../renditions/storage-store.ts';
import { WebhookStatus } from '../../webhooks/webhook.ts';
import { announce } from '../../webhooks/webhook-store.ts';
import type { LiveLease } from '../live-lease.ts';
import { RECORD_LATE_MS } from '../live-stream.ts';
import { writeClocks } from './recording-clock-store.ts';
import { writeRecordingFacts } from './recording-facts-store.ts';

/** Maximum number of streams per sweep. */
const SEALED_AT_ONCE = 50;

/**
 * Turns the recording of an ended stream into a video with the same id, if no ingest process owns the stream. Takes the
 * segment starts of the timelines from the stored rows, changes the type of the media, and updates counters. Copies and
 * encodes nothing. Returns false if there is an owner, which seals the recording after it has stored the last segment.
 */
export async function sealIfUnowned(tx: Tx, key: MediaKey): Promise<boolean> {
  const { rows } = await sql`
    select from live_lease where stream_id = ${key.mediaId} and coalesce(lease_until < now(), true) for update`.execute(
    tx,
  );
  if (rows.length === 0) return false;
  return seal(tx, key);
}

/**
 * Seals a recording as its owner, like `sealIfUnowned`, and ends the owner's lease. Adds segments that the owner stored
 * after another process had sealed the stream. `leftOut` contains reasons why media is missing from the recording,
 * which become messages of the video. Returns false if the lease is not valid or there is nothing to seal.
 */
export function sealOwned(db: Db, lease: LiveLease, leftOut: readonly string[] = []): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await sql`select from live_stream where id = ${lease.key.mediaId} for update`.execute(tx);
    const { rows } = await sql`
      update live_lease set owner = null, feed_url = null, lease_until = null
      where stream_id = ${lease.key.mediaId} and owner = ${lease.owner} and epoch = ${lease.epoch}
      returning stream_id`.execute(tx);
    return rows.length > 0 && ((await seal(tx, lease.key, leftOut)) || sealRest(tx, lease.key));
  });
}

/** Seals the recordings of a bounded number of streams whose owners died. */
export async function sealAbandoned(db: Db): Promise<void> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select s.library_id as "libraryId", s.id as "mediaId" from live_stream s join live_lease l on l.stream_id = s.id
    where s.state = 'vod-processing' and coalesce(l.lease_until < now(), true) limit ${SEALED_AT_ONCE}`.execute(db);
  for (const key of rows) {
    await inTransaction(db, async (tx) => {
      await sql`select from live_stream where id = ${key.mediaId} for update`.execute(tx);
      await sealIfUnowned(tx, key);
    });
  }
}

/**
 * Removes the media rows of streams that ended a day ago without a recording. Returns those whose objects must be
 * deleted.
 */
export async function dropUnrecorded(tx: Tx): Promise<MediaKey[]> {
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    delete from media m where (m.library_id, m.id) in (
      select s.library_id, s.id from live_stream s join media l on l.library_id = s.library_id and l.id = s.id
      where s.state in ('ended', 'error') and l.type = 'live'
        and s.ended_at < now() - make_interval(secs => ${RECORD_LATE_MS / 1000}) limit ${SEALED_AT_ONCE})
    returning library_id as "libraryId", id as "mediaId"`.execute(tx);
  return rows;
}

// The caller locks the stream's row, so that the second of two concurrent calls finds a changed state.
async function seal(tx: Tx, key: MediaKey, leftOut: readonly string[] = []): Promise<boolean> {
  const { libraryId, mediaId } = key;
  const { rows } = await sql<EndedStream>`
    select collection_id, is_public, width_px, height_px, frame_rate from live_stream
    where library_id = ${libraryId} and id = ${mediaId} and state = 'vod-processing'`.execute(tx);
  const [stream] = rows;
  if (stream === undefined) return false;
  await writeClocks(tx, key);
  const hasMedia = await sealTimelines(tx, key);
  await sql`update live_stream set state = 'ended', rungs_due_at = now() where id = ${mediaId}`.execute(tx);
  if (!hasMedia) return true;
  // A pause of all publishers or of the service is not part of the recording.
  await sql`update live_stream set duration_ms = ${wholeMs(key)} where id = ${mediaId}`.execute(tx);
  if (stream.collection_id !== null) await countInCollection(tx, libraryId, stream.collection_id, 1);
  await countInLibrary(tx, libraryId, 1);
  await becomeVideo(tx, key, stream);
  await addMessages(
    tx,
    key,
    leftOut.map((reason) => warningMessage(reason, new Date())),
  );
  await writeRecordingFacts(tx, key);
  await recountStorage(tx, key);
  await bumpPublication(tx, key);
  await announce(key, WebhookStatus.finished)(tx);
  logOnCommit('stream.sealed', { streamGuid: key.mediaId, libraryId: key.libraryId });
  return true;
}

// Leases expire while the database is down. If a stream is then stopped before its owner reconnects, it is sealed
// without media that viewers have received and only the owner still has.
async function sealRest(tx: Tx, key: MediaKey): Promise<boolean> {
  const { libraryId, mediaId } = key;
  const { rows } = await sql<{ type: 'live' | 'video' }>`
    select m.type from live_stream s
    join media m on m.library_id = s.library_id and m.id = s.id and m.type in ('live', 'video')
    where s.library_id = ${libraryId} and s.id = ${mediaId} and s.state = 'ended' and (s.record_vod or s.dvr_enabled)
      and exists (${lateChunks(key)}) for update of m`.execute(tx);
  const [media] = rows;
  if (media === undefined) return false;
  // Edges that have cached the earlier part of the recording read only the added part.
  const revision = await bumpPublication(tx, key);
  await sql`
    with late as (${lateChunks(key)})
    update chunk c set revision = ${revision} from late
    where c.library_id = ${libraryId} and c.media_id = ${mediaId} and c.rendition_id = late.rendition_id
      and c.first_segment = late.first_segment`.execute(tx);
  if (media.type === 'live') {
    await sql`update live_stream set state = 'vod-processing' where id = ${mediaId}`.execute(tx);
    return seal(tx, key);
  }
  await writeClocks(tx, key);
  await sql`
    update timeline set active = false where library_id = ${libraryId} and media_id = ${mediaId} and active`.execute(
    tx,
  );
  await sealTimelines(tx, key);
  await retireShortRungs(tx, key);
  await sql`update live_stream set rungs_due_at = now(), duration_ms = ${wholeMs(key)}
    where id = ${mediaId}`.execute(tx);
  await tx
    .updateTable('media')
    .set({ duration_ms: wholeMs(key) })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .execute();
  await writeRecordingFacts(tx, key);
  await recountStorage(tx, key);
  return true;
}

/** Retires rungs and joined renditions that were encoded from the shorter recording. They are encoded again. */
async function retireShortRungs(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update rendition r set active = false, retired_at = now() from timeline t
    where r.library_id = ${libraryId} and r.media_id = ${mediaId}
      and r.retired_at is null and t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
      and (r.plan ? 'joined' or r.plan ? 'recordedOf' and r.state = 'finished'
        and cardinality(t.start_ticks) > (select coalesce(sum(c.segment_count), 0) from chunk c
          where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id))`.execute(tx);
}

/** Selects chunks after the end of their timelines' cut lists. */
function lateChunks({ libraryId, mediaId }: MediaKey) {
  return sql`
    select c.rendition_id, c.first_segment from live_period p
    join timeline t on t.library_id = p.library_id and t.media_id = p.media_id and t.id = p.timeline_id
    join rendition r on r.library_id = t.library_id and r.media_id = t.media_id and r.timeline_id = t.id
    join chunk c on c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
    where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview
      and c.first_segment >= cardinality(t.start_ticks)`;
}

type EndedStream = {
  collection_id: Guid | null;
  is_public: boolean;
  width_px: number | null;
  height_px: number | null;
  frame_rate: number | null;
};

/** Returns SQL for the total duration of all periods of a media item that viewers see, in ms. */
function wholeMs({ libraryId, mediaId }: MediaKey) {
  return sql<number>`(select round(sum(t.end_ticks * 1000.0 / t.timescale)) from timeline t
    join live_period p on p.library_id = t.library_id and p.media_id = t.media_id and p.timeline_id = t.id
    where t.library_id = ${libraryId} and t.media_id = ${mediaId} and not p.is_preview)`;
}

// The starts are taken from the rows of the first video rendition, or of the audio without video. Periods that viewers
// saw are kept, and previews are retired. Readers that support only one timeline get the longest one with video, or the
// longest one without any video. Never the one that joins the periods, which is the longest.
async function sealTimelines(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<boolean> {
  await sql`
    with main as (
      select distinct on (p.timeline_id) p.timeline_id, r.id as rendition_id
      from live_period p join rendition r on r.library_id = p.library_id and r.media_id = p.media_id
        and r.timeline_id = p.timeline_id
      where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview
      order by p.timeline_id, r.kind desc, r.origin desc, r.id),
    starts as (
      select m.timeline_id, array_agg(c.start_tick order by c.first_segment) as ticks,
        max(c.start_tick + c.duration_ticks) as end_tick
      from main m join chunk c on c.library_id = ${libraryId} and c.media_id = ${mediaId}
        and c.rendition_id = m.rendition_id
      group by m.timeline_id)
    update timeline t set start_ticks = s.ticks, end_ticks = s.end_tick
    from starts s where t.library_id = ${libraryId} and t.media_id = ${mediaId} and t.id = s.timeline_id`.execute(tx);
  const { rows } = await sql`
    update timeline set active = true where library_id = ${libraryId} and media_id = ${mediaId} and id = (
      select id from timeline t where library_id = ${libraryId} and media_id = ${mediaId} and end_ticks > 0
        and exists (select from live_period p where p.library_id = t.library_id and p.media_id = t.media_id
          and p.timeline_id = t.id and not p.is_preview)
      order by exists (select from rendition r where r.library_id = t.library_id and r.media_id = t.media_id
        and r.timeline_id = t.id and r.kind = 'video' and r.origin = 'pass-through') desc,
        end_ticks::float8 / timescale desc limit 1)
    returning id`.execute(tx);
  // A rung that lacks segments of its source is removed from the video (`docs/decisions/125-live-ladder.md`).
  await sql`
    with judged as (
      select r.id, t.active, t.end_ticks = 0 or r.origin = 'encode' and cardinality(t.start_ticks) > (
        select coalesce(sum(c.segment_count), 0) from chunk c
        where c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id) as is_partial
      from rendition r join timeline t on t.library_id = r.library_id and t.media_id = r.media_id
        and t.id = r.timeline_id
      where r.library_id = ${libraryId} and r.media_id = ${mediaId} and not r.plan ?| array['recordedOf', 'joined'])
    update rendition r set state = 'finished', active = j.active and not j.is_partial,
      retired_at = case when j.is_partial then now() end
    from judged j where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.id = j.id`.execute(tx);
  return rows.length > 0;
}

async function becomeVideo(tx: Tx, key: MediaKey, stream: EndedStream): Promise<void> {
  const { collection_id, is_public, width_px, height_px, frame_rate } = stream;
  await mustEnterState(tx, key, 'finished', {
    reason: null,
    set: {
      type: 'video',
      encode_progress: 100,
      collection_id,
      is_public,
      ...(!is_public && { visibility: 'private' }),
      duration_ms: wholeMs(key),
      width_px: width_px ?? 0,
      height_px: height_px ?? 0,
      frame_rate: frame_rate ?? 0,
    },
  });
}
