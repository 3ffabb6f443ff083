import { type Kysely, sql } from 'kysely';

/**
 * Encoding on demand: renditions whose segments are made on request, the current requests of viewers, the workers that
 * make them, and failures.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COLUMNS).execute(db);
  await sql.raw(DEMAND).execute(db);
}

const COLUMNS = `
  alter table rendition add column on_demand boolean not null default false;
  alter table encode_work drop constraint encode_work_kind_check;
  alter table encode_work add constraint encode_work_kind_check
    check (kind in ('pass-through', 'video', 'audio', 'thumbnail', 'jit-start', 'fill'));
`;

// Requests and runs last seconds: those lost in a crash are repeated, so they need no log. Attempts name objects next
// to those of encode tasks, whose attempts are smaller, and must never repeat: their sequence is logged.
const DEMAND = `
  create sequence jit_attempt as integer minvalue 1000000000 cycle;
  create unlogged table jit_wish (
    library_id bigint not null,
    media_id uuid not null,
    rendition_id uuid not null,
    segment integer not null check (segment >= 0),
    edge_id uuid not null,
    ahead_segments integer not null check (ahead_segments >= 0),
    is_awaited boolean not null,
    asked_at timestamptz not null default now(),
    wanted_until timestamptz not null,
    primary key (rendition_id, segment, edge_id),
    foreign key (library_id, media_id, rendition_id) references rendition (library_id, media_id, id) on delete cascade
  );
  create index jit_wish_end on jit_wish (wanted_until);
  create unlogged table jit_run (
    library_id bigint not null,
    media_id uuid not null,
    rendition_id uuid not null,
    id uuid primary key,
    attempt integer not null,
    next_segment integer not null,
    to_segment integer not null check (to_segment >= next_segment),
    owner text not null,
    lease_until timestamptz not null,
    foreign key (library_id, media_id, rendition_id) references rendition (library_id, media_id, id) on delete cascade
  );
  create index jit_run_rendition on jit_run (rendition_id);
  create table jit_fault (
    library_id bigint not null,
    media_id uuid not null,
    rendition_id uuid not null,
    segment integer not null,
    failures integer not null,
    retry_at timestamptz not null,
    reason text not null,
    primary key (rendition_id, segment),
    foreign key (library_id, media_id, rendition_id) references rendition (library_id, media_id, id) on delete cascade
  );
`;
