import { type Kysely, sql } from 'kysely';

/**
 * Adds the waveform of a video's default audio, and `waveform_due`, which lists the videos whose default audio has
 * changed since it was computed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media add column waveform bytea`.execute(db);
  await sql`
    create table waveform_due (
      library_id bigint not null,
      media_id uuid not null,
      changes integer not null default 1,
      primary key (library_id, media_id),
      foreign key (library_id, media_id) references media (library_id, id) on delete cascade
    )
  `.execute(db);
  await sql`
    insert into waveform_due (library_id, media_id)
    select distinct library_id, media_id from rendition where kind = 'audio' and active and is_default
  `.execute(db);
  await sql`
    create function note_waveform() returns trigger language plpgsql as $$
    begin
      insert into waveform_due (library_id, media_id) values (new.library_id, new.media_id)
        on conflict (library_id, media_id) do update set changes = waveform_due.changes + 1;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger rendition_waveform after insert or update of active, is_default on rendition
      for each row when (new.kind = 'audio' and new.active and new.is_default) execute function note_waveform()
  `.execute(db);
}
