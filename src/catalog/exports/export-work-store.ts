import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import {
  type ExportDestination,
  type ExportOutcome,
  type ExportProblem,
  type ExportTick,
  MAX_EXPORT_PROBLEMS,
} from './library-export.ts';

/** An export as its job sees it. `failures`: number of consecutive runs without a response of the destination. */
export type OpenExport = ExportTick & {
  destination: ExportDestination;
  concurrency: number;
  maxBytesPerSec: number | null;
  cursor: Guid | null;
  bytes: number;
  failures: number;
};

/** Opens an export for the job of a tick. Null if it has ended, or if a later job works on it. */
export async function openExport(db: Db, key: ExportTick, secretBox: SecretBox): Promise<OpenExport | null> {
  const row = await db
    .selectFrom('library_export')
    .selectAll()
    .where('id', '=', key.exportId)
    .where('tick', '=', key.tick)
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { concurrency, max_bytes_per_sec: maxBytesPerSec, cursor, bytes, failures } = row;
  // The creator of the export sealed it in this form.
  const destination = JSON.parse(secretBox.open(row.destination)) as ExportDestination;
  return { ...key, destination, concurrency, maxBytesPerSec, cursor, bytes, failures };
}

/** Finds running exports with their current ticks. */
export async function findRunning(db: Db): Promise<ExportTick[]> {
  const { rows } = await sql<ExportTick>`
    select library_id as "libraryId", id as "exportId", tick from library_export
    where state = 'running' order by created_at limit 1000`.execute(db);
  return rows;
}

/** Returns the ids of videos after a cursor, in their order. */
export async function listVideosAfter(
  db: Db,
  libraryId: number,
  { cursor, limit }: { cursor: Guid | null; limit: number },
): Promise<Guid[]> {
  const rows = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('type', '=', 'video')
    .$if(cursor !== null, (query) => query.where('id', '>', cursor))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes the video in transfer and the transferred bytes. Returns false if the tick has passed. */
export async function noteTransfer(
  db: Db,
  { exportId, tick }: ExportTick,
  { current, bytes }: { current: string | null; bytes: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`update library_export set current = ${current}, bytes = ${bytes}
    where id = ${exportId} and tick = ${tick} and state = 'running'`.execute(db);
  return numAffectedRows === 1n;
}

export type ExportStep = { cursor: Guid; outcomes: readonly ExportOutcome[]; problems: readonly ExportProblem[] };

/** Records a step: the outcomes of videos up to `cursor`. Returns false if the tick has passed. */
export async function saveStep(
  db: Db,
  { exportId, tick }: ExportTick,
  { cursor, outcomes, problems }: ExportStep,
): Promise<boolean> {
  const count = (outcome: ExportOutcome) => outcomes.filter((each) => each === outcome).length;
  const { numAffectedRows } = await sql`
    update library_export set cursor = ${cursor}, reason = null, failures = 0,
      exported = exported + ${count('exported')}, unchanged = unchanged + ${count('unchanged')},
      empty = empty + ${count('empty')}, failed = failed + ${count('failed')},
      total = greatest(total, exported + unchanged + empty + failed + ${outcomes.length}),
      problems = (select coalesce(jsonb_agg(problem), '[]') from (
        select problem from jsonb_array_elements(problems || ${JSON.stringify(problems)}::jsonb)
          with ordinality each (problem, place) order by place limit ${MAX_EXPORT_PROBLEMS}) kept)
    where id = ${exportId} and tick = ${tick} and state = 'running'`.execute(db);
  return numAffectedRows === 1n;
}

export type PassedOn = { reason: string | null; isFailure: boolean; send: (tick: ExportTick) => FollowUp };

/** Passes an export to its next job. Does nothing if the tick has passed. `reason` tells people why it waits. */
export async function passExportOn(db: Db, key: ExportTick, { reason, isFailure, send }: PassedOn): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ tick: number }>`
      update library_export set tick = tick + 1, reason = ${reason}, failures = failures + ${isFailure ? 1 : 0}
      where id = ${key.exportId} and tick = ${key.tick} and state = 'running' returning tick`.execute(tx);
    for (const { tick } of rows) await send({ ...key, tick })(tx);
  });
}

/** Ends an export. Does nothing and returns false if the tick has passed. */
export async function endExport(
  db: Db,
  { exportId, tick }: ExportTick,
  { state, reason }: { state: 'finished' | 'failed'; reason: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update library_export set state = ${state}, reason = ${reason}, current = null, ended_at = now()
    where id = ${exportId} and tick = ${tick} and state = 'running'`.execute(db);
  return numAffectedRows === 1n;
}
