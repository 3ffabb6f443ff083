import { type Kysely, sql } from 'kysely';

/** What was said in each span of a video while its transcription is under way: a worker that dies loses one span. */
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
