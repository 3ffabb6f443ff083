import { type Kysely, sql } from 'kysely';

/** Messages of a video name its renditions like `RENDITION_NAME`, because a retry removes them by name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(String.raw`
      update media set messages = regexp_replace(replace(replace(messages::text, 'Sound (und)', 'Audio'),
        'Sound (', 'Audio ('), '"value": "Picture( \w+)?"', '"value": "Video\1"', 'g')::jsonb
      where messages::text ~ 'Sound \(|"value": "Picture'
    `)
    .execute(db);
}
