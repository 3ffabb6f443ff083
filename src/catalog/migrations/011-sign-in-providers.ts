import { type Kysely, sql } from 'kysely';

/**
 * Adds OpenID Connect providers, the accounts of people there, and finished sign-ins, which cannot be used again. Older
 * versions ignore them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const roles = sql`'owner', 'admin', 'editor', 'uploader', 'analyst', 'viewer'`;
  await sql`
    create table sign_in_provider (
      id uuid primary key,
      name text not null,
      issuer text not null,
      client_id text not null,
      client_secret_sealed bytea,
      scopes text not null,
      email_domains jsonb not null,
      trusts_email boolean not null,
      default_role text check (default_role in (${roles})),
      group_claim text,
      group_roles jsonb not null,
      created_at timestamptz not null default now(),
      modified_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    alter table person add column created_by_provider uuid references sign_in_provider on delete set null`.execute(db);
  await sql`create index person_created_by_provider on person (created_by_provider)
    where created_by_provider is not null`.execute(db);
  await sql`
    create table person_identity (
      issuer text not null,
      subject text not null,
      person_id uuid not null references person on delete cascade,
      created_at timestamptz not null default now(),
      primary key (issuer, subject),
      unique (person_id, issuer)
    )`.execute(db);
  await sql`
    create table finished_sign_in (
      hash bytea primary key,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index finished_sign_in_expires on finished_sign_in (expires_at)`.execute(db);
}
