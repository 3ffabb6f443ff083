import { type Kysely, sql } from 'kysely';

/**
 * Webhook events are queued in lines, one per video. `position` is their order. Senders lock, lease (`claim`) and
 * postpone (`next_attempt_at`) the row of the line. A line without pending events does not exist.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(WEBHOOK_LINES).execute(db);
}

const WEBHOOK_LINES = `
  create table webhook_line (
    library_id bigint not null references library (id) on delete cascade,
    media_id uuid not null,
    next_attempt_at timestamptz not null default now(),
    claim uuid,
    primary key (library_id, media_id)
  );
  create index webhook_line_due on webhook_line (library_id, next_attempt_at, media_id);
  create index webhook_line_claim on webhook_line (claim) where claim is not null;
  insert into webhook_line (library_id, media_id)
    select distinct library_id, media_id from webhook_event where state = 'pending';

  drop index webhook_event_due, webhook_event_order, webhook_event_log;
  alter table webhook_event
    add column position bigint generated always as identity,
    add column give_up_at timestamptz not null default now() + interval '3 days',
    drop column next_attempt_at;
  alter table webhook_event alter column give_up_at drop default;
  create index webhook_event_line on webhook_event (library_id, media_id, position) where state = 'pending';
  create index webhook_event_log on webhook_event (library_id, position desc);
  create index webhook_event_settled on webhook_event (settled_at) where state <> 'pending';
`;
