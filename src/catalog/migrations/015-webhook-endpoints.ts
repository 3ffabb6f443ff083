import { type Kysely, sql } from 'kysely';

/**
 * Adds webhook endpoints besides the address in the settings, which has the nil GUID. Older versions announce nothing
 * to them. They may claim lines of these endpoints, but find no events in them, because they look for events by
 * `media_id`: events of these endpoints have their own id there, and the line and the video in new columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_endpoint (
      id uuid primary key,
      library_id bigint not null references library on delete cascade,
      name text not null,
      url text not null,
      events integer[],
      is_enabled boolean not null,
      secret_sealed bytea not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index webhook_endpoint_library on webhook_endpoint (library_id)`.execute(db);
  for (const table of ['webhook_event', 'webhook_line']) {
    await sql`
      alter table ${sql.table(table)}
        add column endpoint_id uuid not null default '00000000-0000-0000-0000-000000000000'`.execute(db);
  }
  await sql`alter table webhook_event add column line_id uuid, add column video_id uuid`.execute(db);
  await sql`
    create index webhook_event_head on webhook_event (library_id, (coalesce(line_id, media_id)), position)
      where state = 'pending'`.execute(db);
  await sql`
    create index webhook_line_receiver on webhook_line (library_id, endpoint_id, next_attempt_at, media_id)`.execute(
    db,
  );
}
