import { type Kysely, sql } from 'kysely';

/** Transcribed text of each span while a video's transcription runs: a worker that dies loses one span. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SPANS).execute(db);
}

const SPANS = `
  create table speech_span (
    library_id bigint not null,
    media_id uuid not null,
    start_ms integer not null,
    identity bytea not null,
    language text not null,
    words jsonb not null,
    primary key (library_id, media_id, start_ms),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
`;
