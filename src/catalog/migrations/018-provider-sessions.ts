import { type Kysely, sql } from 'kysely';

/** Adds the provider's session to the sessions that it opened, so that it can end them. Older versions ignore it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table person_session
      add column provider_issuer text,
      add column provider_session text`.execute(db);
  await sql`create index person_session_provider on person_session (provider_issuer)
    where provider_issuer is not null`.execute(db);
}
