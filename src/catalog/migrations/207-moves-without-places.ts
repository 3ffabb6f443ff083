import { type Kysely, sql } from 'kysely';

/**
 * Moves before this version may not have recorded the previous collections of their videos, which looks the same as no
 * collection. They cannot be undone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      alter table bulk_operation add column notes_places boolean not null default true;
      update bulk_operation set notes_places = false where kind = 'move' or undoes = 'move';
    `)
    .execute(db);
}
