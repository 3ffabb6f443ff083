import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';

/**
 * The installation that a database belongs to. `sequence` increases as objects are written. While `heldUntil` is set,
 * nothing is deleted, because the mark of the store has a higher sequence number (`heldSequence`) than the database.
 */
export type Installation = { id: Guid; sequence: number; heldUntil: Date | null; heldSequence: number | null };

/** Reads the installation. An expired hold is ignored. */
export async function loadInstallation(db: Db): Promise<Installation> {
  const row = await db
    .selectFrom('installation')
    .select(['id', 'sequence', 'held_sequence'])
    .select(sql<Date | null>`case when held_until > now() then held_until end`.as('held_until'))
    .executeTakeFirstOrThrow();
  return { id: row.id, sequence: row.sequence, heldUntil: row.held_until, heldSequence: row.held_sequence };
}

/** Begins the next state. Returns null while deletions are held, because the store's mark must stay unchanged. */
export async function advanceSequence(db: Db): Promise<{ id: Guid; sequence: number } | null> {
  const { rows } = await sql<{ id: Guid; sequence: number }>`
    update installation set sequence = greatest(sequence, coalesce(held_sequence, 0)) + 1,
      held_until = null, held_sequence = null
    where held_until is null or held_until <= now() returning id, sequence
  `.execute(db);
  return rows[0] ?? null;
}

/** Holds all deletions for `holdSec` seconds, because the store has the mark of a later state, `sequence`. */
export async function holdDeletions(db: Db, { sequence, holdSec }: { sequence: number; holdSec: number }) {
  await sql`
    update installation set held_until = now() + make_interval(secs => ${holdSec}), held_sequence = ${sequence}
    where sequence < ${sequence} and (held_sequence is null or held_sequence < ${sequence})
  `.execute(db);
}

/** Ends a hold and advances the sequence past every state that a store has a mark of. Returns the new mark. */
export async function passSequence(db: Db, seen: number): Promise<{ id: Guid; sequence: number }> {
  const { rows } = await sql<{ id: Guid; sequence: number }>`
    update installation set sequence = greatest(sequence, ${seen}) + 1, held_until = null, held_sequence = null
    returning id, sequence
  `.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('Expected a row in table installation, got none.');
  return row;
}
