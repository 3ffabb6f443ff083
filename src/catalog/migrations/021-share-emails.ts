import { type Kysely, sql } from 'kysely';

/**
 * Adds the e-mail domains of shares, and the codes that were sent to viewers. Older versions ignore both: stop them
 * before domains are set, because they show such shares to everybody who has the link.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column email_domains text[] not null default '{}'`.execute(db);
  await sql`
    create table share_code (
      share_id uuid not null references share on delete cascade,
      address_hash bytea not null,
      code_hash bytea not null,
      failures integer not null default 0,
      expires_at timestamptz not null,
      primary key (share_id, address_hash)
    )`.execute(db);
  await sql`create index share_code_expiry on share_code (expires_at)`.execute(db);
}
