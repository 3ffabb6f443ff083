import { type Kysely, sql } from 'kysely';

/** Rows and settings use the codec name H.264; the interface uses the encoder's name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      update rendition set codec = 'h264' where codec = 'x264';
      update encode_speed set kind = replace(kind, '/x264', '/h264') where kind like '%/x264';
      update library set settings = replace(settings::text, '"x264"', '"h264"')::jsonb
        where settings->'encoding'->'codecs' ? 'x264';
      update media set upload_options = replace(upload_options::text, '"x264"', '"h264"')::jsonb
        where upload_options->'enabledCodecs' ? 'x264';
      update media set replaced = replace(replaced::text, '"x264"', '"h264"')::jsonb
        where replaced->'uploadOptions'->'enabledCodecs' ? 'x264';
      update upload set metadata = replace(metadata::text, '"x264"', '"h264"')::jsonb
        where metadata->'enabledCodecs' ? 'x264';
    `)
    .execute(db);
}
