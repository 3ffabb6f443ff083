import { type Kysely, sql } from 'kysely';

/** Views count only with evidence that media was delivered to their viewer; others are counted as discarded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(EVIDENCE).execute(db);
  await sql.raw(SESSIONS).execute(db);
}

// One row per viewer and video, for a day. Times are in ms since 1970.
const EVIDENCE = `
  create table view_evidence (
    viewer_id uuid primary key,
    delivered_ms bigint not null default 0,
    used_sec bigint not null default 0,
    passes integer not null default 0,
    views integer not null default 0,
    window_ms bigint not null default 0,
    first_ms bigint not null,
    seen_ms bigint not null
  ) with (fillfactor = 50);
  create index view_evidence_seen on view_evidence (seen_ms);
`;

const SESSIONS = `
  alter table view_session
    add column verdict text not null default 'counted',
    add column discarded_sec integer not null default 0;
`;
