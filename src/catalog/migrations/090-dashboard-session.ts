import { type Kysely, sql } from 'kysely';

/**
 * Sign-ins of browsers: a random id, stored as its hash, represents the key that was presented (docs/decisions/090).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table dashboard_session (
      hash bytea primary key,
      key_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )
  `.execute(db);
  await sql`create index on dashboard_session (key_hash, created_at)`.execute(db);
  await sql`create index on dashboard_session (expires_at)`.execute(db);
}
