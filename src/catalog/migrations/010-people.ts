import { type Kysely, sql } from 'kysely';

/**
 * Adds people with their roles, sessions and invitations. Older versions ignore these tables. `notify_keys` makes event
 * streams check their access again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const roles = sql`'owner', 'admin', 'editor', 'uploader', 'analyst', 'viewer'`;
  await sql`
    create table person (
      id uuid primary key,
      email text not null,
      name text not null,
      language text,
      status text not null check (status in ('invited', 'active', 'disabled')),
      role text check (role in (${roles})),
      password_hash text,
      totp_sealed bytea,
      totp_step bigint,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz
    )`.execute(db);
  await sql`create unique index person_email_key on person (lower(email))`.execute(db);
  await sql`
    create table person_role (
      person_id uuid not null references person on delete cascade,
      library_id bigint not null references library on delete cascade,
      role text not null check (role in (${roles})),
      primary key (person_id, library_id)
    )`.execute(db);
  await sql`create index person_role_library on person_role (library_id)`.execute(db);
  await sql`
    create table person_session (
      id uuid primary key,
      hash bytea not null unique,
      person_id uuid not null references person on delete cascade,
      device text not null,
      address text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index person_session_person on person_session (person_id)`.execute(db);
  await sql`
    create table invitation (
      hash bytea primary key,
      person_id uuid not null unique references person on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db);
  await sql`
    create trigger person_session_ended after delete on person_session
      for each statement execute function notify_keys()`.execute(db);
  await sql`
    create trigger person_rights_changed after update of status, role on person
      for each statement execute function notify_keys()`.execute(db);
  await sql`
    create trigger person_role_changed after insert or update or delete on person_role
      for each statement execute function notify_keys()`.execute(db);
}
