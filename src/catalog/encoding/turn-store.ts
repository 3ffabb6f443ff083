import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import type { EncodeWorkTable } from './encode-schema.ts';
import { LEASE_SEC, WAITING_FOR_SLOT } from './work.ts';
import { toAnswer, type WorkAnswer } from './work-store.ts';

/**
 * Takes a work for the job that holds `ticket`: of all works of the ticket's kind and lane that wait for nothing but
 * a slot, the most urgent one of the library that has had least of the lane (start-time fair queueing, by weight), so
 * that no library waits behind another's long queue. That work and the one whose ticket it was change places, so each
 * work that waits keeps exactly one job. A work that was begun before stays with its job.
 */
export async function claimInTurn(db: Db, ticket: Guid, owner: string): Promise<WorkAnswer> {
  const { rows } = await sql<Selectable<EncodeWorkTable>>`
    select * from claim_encode_work(${ticket}, ${owner}, ${LEASE_SEC}, ${WAITING_FOR_SLOT})
  `.execute(db);
  const [row] = rows;
  if (row !== undefined) return toAnswer(row, owner);
  const { rows: found } = await sql`
    select id from encode_work where coalesce(ticket, id) = ${ticket} and state in ('waiting', 'running')
  `.execute(db);
  return found.length > 0 ? { kind: 'busy' } : { kind: 'over' };
}

/** Counts a turn of a library in a lane that took as much of it as `weight` says. */
export async function countTurn(db: Db, lane: string, libraryId: number, weight: number): Promise<void> {
  await sql`select count_encode_turn(${lane}, ${libraryId}, ${weight}::float8)`.execute(db);
}
