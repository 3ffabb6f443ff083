import { type Kysely, sql } from 'kysely';

/**
 * Metadata generated from a video's texts, with progress; and the progress of its transcription (docs/decisions/150).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SMART).execute(db);
}

const SMART = `
  alter table media add column smart jsonb;
  create index media_smart_open on media (library_id)
    where smart @? '$.* ? (@.state == "queued" || @.state == "in-progress")';
  create table speech_run (
    library_id bigint not null,
    media_id uuid not null,
    state text not null check (state in ('waiting', 'running', 'finished', 'failed')),
    reason text not null default '',
    done_sec double precision not null default 0,
    updated_at timestamptz not null default now(),
    primary key (library_id, media_id),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
`;
