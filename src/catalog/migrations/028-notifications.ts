import { type Kysely, sql } from 'kysely';

/**
 * Adds notifications of people and chats. Older versions record none, so nobody is notified of what they do during an
 * upgrade.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification (
      position bigint generated always as identity primary key,
      library_id bigint not null references library on delete cascade,
      media_id uuid not null,
      event text not null check (event in ('ready', 'failed', 'live', 'quota')),
      resource text,
      is_routed boolean not null default false,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index notification_library on notification (library_id, position)`.execute(db);
  await sql`create index notification_unrouted on notification (position) where not is_routed`.execute(db);
  await sql`
    create table notification_choice (
      person_id uuid primary key references person on delete cascade,
      browser text[] not null,
      email text[] not null
    )`.execute(db);
  await sql`
    create table chat_webhook (
      library_id bigint primary key references library on delete cascade,
      url_sealed bytea not null,
      events text[] not null,
      language text not null,
      is_enabled boolean not null,
      last_sent_at timestamptz,
      last_error text,
      last_error_at timestamptz
    )`.execute(db);
  await sql`
    create table notification_summary (
      id uuid primary key,
      library_id bigint references library on delete cascade,
      person_id uuid references person on delete cascade,
      counts jsonb not null,
      items jsonb not null,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
      attempts integer not null default 0,
      claim uuid,
      next_attempt_at timestamptz not null,
      give_up_at timestamptz not null,
      created_at timestamptz not null default now(),
      check ((library_id is null) <> (person_id is null))
    )`.execute(db);
  await sql`
    create index notification_summary_due on notification_summary (next_attempt_at) where state = 'pending'`.execute(
    db,
  );
  await sql`create index notification_summary_library on notification_summary (library_id, created_at)`.execute(db);
  await sql`create index notification_summary_person on notification_summary (person_id, created_at)`.execute(db);
}
