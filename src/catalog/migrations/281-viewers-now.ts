import { type Kysely, sql } from 'kysely';

/** Index by which the page of a live stream counts its viewers without reading all sessions of its library. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index view_session_media on view_session (library_id, media_id, start_hour)').execute(db);
}
