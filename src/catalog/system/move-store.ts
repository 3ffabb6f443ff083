import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** What of the old store has still to move: objects, their bytes, and uploads that go on there. */
export type MoveLeft = { objects: number; bytes: number; uploads: number };
export type MoveLine = MoveLeft & { notedAt: Date };

/**
 * A mover looks at least once a minute; what is older is of one that runs no more. A large store takes a while to list.
 */
const FRESH_MIN = 15;

export async function noteMove(db: Db, { objects, bytes, uploads }: MoveLeft): Promise<void> {
  await sql`
    insert into storage_move (id, objects_left, bytes_left, uploads_left) values (1, ${objects}, ${bytes}, ${uploads})
    on conflict (id) do update set objects_left = excluded.objects_left, bytes_left = excluded.bytes_left,
      uploads_left = excluded.uploads_left, noted_at = now()`.execute(db);
}

/** Null while no objects move. */
export async function loadMove(db: Db): Promise<MoveLine | null> {
  const { rows } = await sql<MoveLine>`
    select objects_left as objects, bytes_left as bytes, uploads_left as uploads, noted_at as "notedAt"
    from storage_move where noted_at > now() - make_interval(mins => ${FRESH_MIN})`.execute(db);
  return rows[0] ?? null;
}
