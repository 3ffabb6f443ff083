import { type Kysely, sql } from 'kysely';

/** Two kinds of encode task take the field's words; speeds that were measured under the old ones are measured anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      update encode_task set kind = 'images' where kind = 'pictures';
      update encode_task set kind = 'compose-audio' where kind = 'compose-sound';
      delete from encode_speed where split_part(kind, '/', 1) in ('pictures', 'compose-sound');
    `)
    .execute(db);
}
