import { type Kysely, sql } from 'kysely';

/** The last messages of encoders whose attempts failed: a few per video, kept after their encode tasks end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      create table attempt_log (
        library_id bigint not null,
        media_id uuid not null,
        id bigint generated always as identity,
        kind text not null,
        renditions text[] not null,
        from_segment integer not null,
        to_segment integer not null,
        reason text not null,
        messages text not null check (length(messages) <= 8192),
        created_at timestamptz not null default now(),
        primary key (library_id, media_id, id),
        foreign key (library_id, media_id) references media (library_id, id) on delete cascade
      );
    `)
    .execute(db);
}
