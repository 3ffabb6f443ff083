import { type Kysely, sql } from 'kysely';

/** Adds passkeys of people. A session that a passkey opened ends with the passkey. Older versions ignore both. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table passkey (
      id uuid primary key,
      person_id uuid not null references person on delete cascade,
      credential_id text not null unique,
      public_key bytea not null,
      counter bigint not null,
      is_backed_up boolean not null,
      name text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    )`.execute(db);
  await sql`create index passkey_person on passkey (person_id)`.execute(db);
  await sql`alter table person_session add column passkey_id uuid references passkey on delete cascade`.execute(db);
  await sql`create index person_session_passkey on person_session (passkey_id)
    where passkey_id is not null`.execute(db);
}
