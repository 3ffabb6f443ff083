import { type Kysely, sql } from 'kysely';

/** Progress of the damage scan of the store: one row, the last object examined in this round. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SCRUB).execute(db);
}

const SCRUB = `
  create table scrub (
    id integer primary key default 1 check (id = 1),
    library_id bigint,
    media_id uuid,
    rendition_id uuid,
    first_segment integer,
    round_began_at timestamptz not null default now(),
    rests_until timestamptz,
    objects_seen bigint not null default 0,
    bytes_seen bigint not null default 0,
    objects_damaged bigint not null default 0,
    objects_unread bigint not null default 0
  );
`;
