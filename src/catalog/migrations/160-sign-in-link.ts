import { type Kysely, sql } from 'kysely';

/** Links that sign a browser in once, each stored as its hash with the hash of its key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_link (
      hash bytea primary key,
      key_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )
  `.execute(db);
}
