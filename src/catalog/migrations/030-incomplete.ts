import { type Kysely, sql } from 'kysely';

/** Marks videos that are finished although something planned could not be made, and their webhook events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INCOMPLETE).execute(db);
}

const INCOMPLETE = `
  alter table media add column is_incomplete boolean not null default false;
  alter table webhook_event add column is_incomplete boolean not null default false;
  update media m set is_incomplete = true where state = 'finished' and exists (
    select from rendition r join timeline t on t.library_id = r.library_id and t.media_id = r.media_id
      and t.id = r.timeline_id
    where r.library_id = m.library_id and r.media_id = m.id and r.state = 'failed' and r.retired_at is null
      and t.active);
  create index media_incomplete on media (library_id, created_at desc, id desc) where is_incomplete;
`;
