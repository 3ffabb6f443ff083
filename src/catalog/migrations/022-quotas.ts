import { type Kysely, sql } from 'kysely';

/**
 * Adds quotas of libraries, the minutes encoded by month, the reserved bytes of uploads, the time at which a publisher
 * was accepted, and the details of webhook events. Older versions ignore all of them, and enforce no quota.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table library_quota (
      library_id bigint not null references library on delete cascade,
      resource text not null,
      max_amount bigint not null check (max_amount >= 0),
      mode text not null check (mode in ('soft', 'hard')),
      used bigint not null default 0,
      level smallint not null default 0,
      measured_at timestamptz not null default now(),
      is_holding boolean not null default false,
      primary key (library_id, resource)
    )`.execute(db);
  await sql`
    create table encoded_month (
      library_id bigint not null references library on delete cascade,
      month date not null,
      slot smallint not null,
      encoded_ms bigint not null,
      primary key (library_id, month, slot)
    )`.execute(db);
  await sql`alter table upload add column reserved_bytes bigint not null default 0`.execute(db);
  await sql`alter table live_lease add column published_at timestamptz`.execute(db);
  await sql`alter table webhook_event add column detail jsonb`.execute(db);
}
