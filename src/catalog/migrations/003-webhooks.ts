import { type Kysely, sql } from 'kysely';

/** The webhook events of each library: pending, delivered and abandoned ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(WEBHOOKS).execute(db);
}

const WEBHOOKS = `
  create table webhook_event (
    id uuid primary key,
    library_id bigint not null references library (id) on delete cascade,
    media_id uuid not null,
    status integer not null,
    state text not null check (state in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    last_answer text,
    created_at timestamptz not null default now(),
    settled_at timestamptz
  );
  create index webhook_event_due on webhook_event (next_attempt_at) where state = 'pending';
  create index webhook_event_order on webhook_event (media_id, id) where state = 'pending';
  create index webhook_event_log on webhook_event (library_id, id desc);
`;
