import { type Kysely, sql } from 'kysely';

/** Schema for libraries that are being deleted, and for the append-only audit log, whose lines expire. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(LIBRARIES).execute(db);
  await sql.raw(AUDIT).execute(db);
}

// A deleted library keeps its row, hidden, until a job has deleted its media and their objects.
const LIBRARIES = `
  alter table library add column deleted_at timestamptz;
`;

// The triggers protect the log: a line is never changed, and is removed only once it is 90 days old.
const AUDIT = `
  create table audit_line (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    library_id bigint,
    key_name text not null,
    scope text not null,
    operation text not null,
    targets jsonb not null,
    status integer not null,
    request_id uuid not null,
    ip text not null,
    hash bytea not null
  );
  create index audit_line_library on audit_line (library_id, id desc);
  create index audit_line_at on audit_line (at);

  create function audit_line_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and old.at < now() - interval '90 days' then
      return old;
    end if;
    raise exception 'The audit log is append-only: % was refused.', tg_op;
  end $$;
  create trigger audit_line_rows before update or delete on audit_line
    for each row execute function audit_line_guard();
  create trigger audit_line_table before truncate on audit_line
    for each statement execute function audit_line_guard();

  -- Whole UTC days go, so that the hash chain of each day that is left is whole.
  create function prune_audit_lines(most integer) returns bigint language sql as $$
    with gone as (
      delete from audit_line where id in (
        select id from audit_line
        where at < (date_trunc('day', now() at time zone 'utc') - interval '90 days') at time zone 'utc'
        order by at limit most)
      returning 1)
    select count(*) from gone
  $$;
`;
