import { sql } from 'kysely';
import { type Guid, newGuid } from '../../../lib/guid.ts';
import type { ChunkFacts } from '../../../media/cmaf/chunk.ts';
import type { StorageKey } from '../../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { LeaseLost } from '../../leases/lease-lost.ts';
import { toChunkRow } from '../../lifecycle/chunk-store.ts';
import type { LiveLease } from '../live-lease.ts';
import {
  insertRendition,
  type NewRendition,
  type PeriodRendition,
  selectRenditions,
} from './period-rendition-store.ts';

/** A section of a stream with constant codec parameters. Media sequence numbers continue across periods. */
export type Period = {
  number: number;
  timelineId: Guid;
  firstSequence: number;
  isPreview: boolean;
  parameters: string;
  /** Arrival time of the first frame, in ms since 1970. The EXT-X-PROGRAM-DATE-TIME of the playlists starts there. */
  startMs: number | null;
  renditions: readonly PeriodRendition[];
};

/**
 * A period and the point at which it continues: the number of its next segment, and the end of its stored media in ms
 * on its timeline.
 */
export type OpenPeriod = Period & { nextSegment: number; endMs: number };

/** A closed segment whose media and `.idx` are durable. */
export type StoredSegment = {
  lease: LiveLease;
  renditionId: Guid;
  facts: ChunkFacts;
  storageKey: StorageKey;
  idxBytes: number;
  /** Wall-clock time of its first sample, in ms since 1970. */
  wallMs: number;
};

/** Loads the last period of a stream. Returns null if it has none yet. */
export async function loadLastPeriod(db: Db, key: MediaKey): Promise<OpenPeriod | null> {
  const { rows } = await sql<{
    number: number;
    timelineId: Guid;
    firstSequence: number;
    isPreview: boolean;
    parameters: string;
    startMs: number | null;
  }>`
    select number, timeline_id as "timelineId", first_sequence as "firstSequence", is_preview as "isPreview",
      parameters, start_ms as "startMs"
    from live_period where library_id = ${key.libraryId} and media_id = ${key.mediaId}
    order by number desc limit 1`.execute(db);
  const [period] = rows;
  if (period === undefined) return null;
  const renditions = await selectRenditions(db, key, period.timelineId);
  const { rows: ends } = await sql<{ nextSegment: number; endMs: number }>`
    select coalesce(max(c.first_segment + c.segment_count), 0)::int as "nextSegment",
      coalesce(max((c.start_tick + c.duration_ticks) * 1000.0 / r.timescale) filter (where r.kind = 'video'),
        max((c.start_tick + c.duration_ticks) * 1000.0 / r.timescale), 0)::float8 as "endMs"
    from rendition r left join chunk c on c.library_id = r.library_id and c.media_id = r.media_id
      and c.rendition_id = r.id
    where r.library_id = ${key.libraryId} and r.media_id = ${key.mediaId} and r.timeline_id = ${period.timelineId}
  `.execute(db);
  return { ...period, renditions, nextSegment: ends[0]?.nextSegment ?? 0, endMs: ends[0]?.endMs ?? 0 };
}

/** Writes a new period with its timeline and renditions, and notifies edges. Throws LeaseLost. */
export function openPeriod(
  db: Db,
  lease: LiveLease,
  wanted: Omit<Period, 'timelineId' | 'number' | 'renditions'> & { renditions: readonly NewRendition[] },
  facts: { widthPx: number; heightPx: number; frameRate: number },
): Promise<Period> {
  return inTransaction(db, async (tx) => {
    await lockLease(tx, lease);
    const { libraryId, mediaId } = lease.key;
    const timelineId = newGuid();
    const { rows } = await sql<{ number: number }>`
      select coalesce(max(number) + 1, 0) as number from live_period
      where library_id = ${libraryId} and media_id = ${mediaId}`.execute(tx);
    const number = rows[0]?.number ?? 0;
    await insertTimeline(tx, lease.key, timelineId, wanted.renditions);
    const renditions: PeriodRendition[] = [];
    for (const rendition of wanted.renditions) {
      renditions.push(await insertRendition(tx, lease.key, timelineId, rendition));
    }
    const row = {
      library_id: libraryId,
      media_id: mediaId,
      number,
      timeline_id: timelineId,
      first_sequence: wanted.firstSequence,
      is_preview: wanted.isPreview,
      parameters: wanted.parameters,
      start_ms: wanted.startMs ?? null,
    };
    await tx.insertInto('live_period').values(row).execute();
    await tx
      .updateTable('live_stream')
      .set({
        ...(facts.widthPx > 0 && { width_px: facts.widthPx, height_px: facts.heightPx }),
        ...(facts.frameRate > 0 && { frame_rate: facts.frameRate }),
      })
      .set({ ingest_region: sql<string>`ingest_region` })
      .where('id', '=', mediaId)
      .execute();
    await bumpPublication(tx, lease.key);
    return { ...wanted, renditions, number, timelineId };
  });
}

/** Adds the encoded rungs to an open period. Throws LeaseLost. */
export function addRungs(
  db: Db,
  lease: LiveLease,
  timelineId: Guid,
  rungs: readonly NewRendition[],
): Promise<PeriodRendition[]> {
  return inTransaction(db, async (tx) => {
    await lockLease(tx, lease);
    const added: PeriodRendition[] = [];
    for (const rung of rungs) added.push(await insertRendition(tx, lease.key, timelineId, rung));
    return added;
  });
}

/**
 * Writes the rows of closed segments of many streams in one transaction. Skips segments whose lease is lost, and
 * returns them. The caller deletes their objects.
 */
export function commitSegments(db: Db, segments: readonly StoredSegment[]): Promise<StoredSegment[]> {
  return inTransaction(db, async (tx) => {
    const held = await lockLeases(tx, segments);
    const kept = segments.filter(({ lease }) => held.has(`${lease.key.mediaId}:${lease.epoch}`));
    if (kept.length > 0) {
      // If the response to a commit was lost, it is repeated with the same rows.
      await tx
        .insertInto('chunk')
        .values(kept.map(toRow))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    const isKept = new Set(kept);
    return segments.filter((segment) => !isKept.has(segment));
  });
}

async function lockLease(tx: Tx, lease: LiveLease): Promise<void> {
  const { rows } = await sql`
    select from live_lease where stream_id = ${lease.key.mediaId} and owner = ${lease.owner} and epoch = ${lease.epoch}
    for update`.execute(tx);
  if (rows.length === 0) {
    throw new LeaseLost(`The lease of stream ${lease.key.mediaId} with epoch ${lease.epoch} is no longer valid.`);
  }
}

async function lockLeases(tx: Tx, segments: readonly StoredSegment[]): Promise<Set<string>> {
  const wanted = segments.map(({ lease: { key, owner, epoch } }) => ({ stream: key.mediaId, owner, epoch }));
  const { rows } = await sql<{ stream: Guid; epoch: number }>`
    select l.stream_id as stream, l.epoch from live_lease l
    where exists (select from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as w(stream uuid, owner uuid, epoch bigint)
      where w.stream = l.stream_id and w.owner = l.owner and w.epoch = l.epoch)
    order by l.stream_id for share`.execute(tx);
  return new Set(rows.map(({ stream, epoch }) => `${stream}:${epoch}`));
}

function toRow({ lease, renditionId, facts, storageKey, idxBytes, wallMs }: StoredSegment) {
  const commit = { key: lease.key, attempt: lease.attempt, revision: 0 };
  return { ...toChunkRow(commit, renditionId, { facts, storageKey, idxBytes }), wall_ms: wallMs };
}

async function insertTimeline(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  id: Guid,
  renditions: readonly NewRendition[],
): Promise<void> {
  const main = renditions.find(({ kind }) => kind === 'video') ?? renditions[0];
  const row = {
    library_id: libraryId,
    media_id: mediaId,
    id,
    grid: 'source' as const,
    timescale: main?.timescale ?? 1,
  };
  await tx
    .insertInto('timeline')
    .values({ ...row, start_ticks: [], end_ticks: 0 })
    .execute();
}
