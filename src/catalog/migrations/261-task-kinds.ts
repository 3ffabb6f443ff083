import { type Kysely, sql } from 'kysely';

/** Renames two kinds of encode task to the field's terms; speeds measured under the old names are measured again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      update encode_task set kind = 'images' where kind = 'pictures';
      update encode_task set kind = 'compose-audio' where kind = 'compose-sound';
      delete from encode_speed where split_part(kind, '/', 1) in ('pictures', 'compose-sound');
    `)
    .execute(db);
}
