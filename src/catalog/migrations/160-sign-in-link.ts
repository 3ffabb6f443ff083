import { type Kysely, sql } from 'kysely';

/** Links that sign a browser in once, each kept as its hash beside the hash of the key that it stands for. */
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
