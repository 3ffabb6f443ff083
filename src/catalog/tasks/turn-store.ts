import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** Counts a turn of a library in a queue that took as much of it as `weight` says. */
export async function countTurn(db: Db, queue: string, libraryId: number, weight: number): Promise<void> {
  await sql`select count_encode_turn(${queue}, ${libraryId}, ${weight}::float8)`.execute(db);
}
