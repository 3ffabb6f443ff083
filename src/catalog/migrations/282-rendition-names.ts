import { type Kysely, sql } from 'kysely';

/** Messages of a video name its renditions as `RENDITION_NAME` does: a retry takes them away by their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(String.raw`
      update media set messages = regexp_replace(replace(replace(messages::text, 'Sound (und)', 'Audio'),
        'Sound (', 'Audio ('), '"value": "Picture( \w+)?"', '"value": "Video\1"', 'g')::jsonb
      where messages::text ~ 'Sound \(|"value": "Picture'
    `)
    .execute(db);
}
