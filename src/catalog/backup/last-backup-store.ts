import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** A backup that is whole: what the store held, and the folder that it was copied to. */
export type LastBackup = { madeAt: Date; objects: number; bytes: number; place: string };

/** Notes a backup in the place of the one before. */
export async function noteBackup(db: Db, { madeAt, objects, bytes, place }: LastBackup): Promise<void> {
  await sql`
    insert into last_backup (made_at, objects, bytes, place) values (${madeAt}, ${objects}, ${bytes}, ${place})
    on conflict (singleton) do update set made_at = excluded.made_at, objects = excluded.objects,
      bytes = excluded.bytes, place = excluded.place`.execute(db);
}

/** Null when there was none yet. */
export async function loadLastBackup(db: Db): Promise<LastBackup | null> {
  const { rows } = await sql<LastBackup>`
    select made_at as "madeAt", objects, bytes, place from last_backup`.execute(db);
  return rows[0] ?? null;
}
