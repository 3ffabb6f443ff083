import { type Kysely, sql } from 'kysely';

/**
 * Adds the stored bytes of each library as a sum of changes. Triggers append a row for each change, in its transaction,
 * so the sum is exact for writers of any version and no writer waits for another one. A job replaces the rows of a
 * library by their sum.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table library_storage (library_id bigint not null, bytes bigint not null)`.execute(db);
  await sql`create index library_storage_sum on library_storage (library_id) include (bytes)`.execute(db);
  await sql`create index upload_open on upload (library_id) where state = 'open'`.execute(db);
  // For playlists in the order of titles.
  await sql`
    create index media_collection_title on media (library_id, collection_id, title_start, id)
    where collection_id is not null`.execute(db);
  await addFunctions(db);
  await addTriggers(db);
  // The triggers lock the tables until the commit, so this statement sees all changes that they did not.
  await sql`
    insert into library_storage (library_id, bytes)
    select library_id, sum(bytes) from (
      select library_id, storage_bytes as bytes from media
      union all
      select library_id, -storage_bytes from rendition where retired_at is not null
      union all
      select library_id, -size_bytes from retired_object where retired_at < 'infinity'
    ) stored group by library_id having sum(bytes) <> 0`.execute(db);
}

async function addFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function note_media_bytes() returns trigger language plpgsql as $$
    begin
      insert into library_storage (library_id, bytes) values (coalesce(new.library_id, old.library_id),
        coalesce(new.storage_bytes, 0) - coalesce(old.storage_bytes, 0));
      return null;
    end $$`.execute(db);
  // The bytes of a media item include those of its retired renditions and objects until they are deleted.
  await sql`
    create function note_retired_rendition_bytes() returns trigger language plpgsql as $$
    begin
      insert into library_storage (library_id, bytes) values (coalesce(new.library_id, old.library_id),
        case when old.retired_at is null then 0 else old.storage_bytes end
          - case when new.retired_at is null then 0 else new.storage_bytes end);
      return null;
    end $$`.execute(db);
  await sql`
    create function note_retired_object_bytes() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        insert into library_storage (library_id, bytes)
        select library_id, sum(size_bytes) from removed where retired_at < 'infinity'
        group by library_id having sum(size_bytes) <> 0;
      end if;
      if tg_op <> 'DELETE' then
        insert into library_storage (library_id, bytes)
        select library_id, -sum(size_bytes) from added where retired_at < 'infinity'
        group by library_id having sum(size_bytes) <> 0;
      end if;
      return null;
    end $$`.execute(db);
}

const TRIGGERS = [
  `media_bytes_inserted after insert on media
    for each row when (new.storage_bytes <> 0) execute function note_media_bytes()`,
  `media_bytes_updated after update of storage_bytes on media
    for each row when (new.storage_bytes <> old.storage_bytes) execute function note_media_bytes()`,
  `media_bytes_deleted after delete on media
    for each row when (old.storage_bytes <> 0) execute function note_media_bytes()`,
  `rendition_bytes_inserted after insert on rendition
    for each row when (new.retired_at is not null) execute function note_retired_rendition_bytes()`,
  `rendition_bytes_updated after update of retired_at, storage_bytes on rendition
    for each row when (new.retired_at is not null or old.retired_at is not null)
    execute function note_retired_rendition_bytes()`,
  `rendition_bytes_deleted after delete on rendition
    for each row when (old.retired_at is not null) execute function note_retired_rendition_bytes()`,
  `retired_object_bytes_inserted after insert on retired_object referencing new table as added
    for each statement execute function note_retired_object_bytes()`,
  `retired_object_bytes_updated after update on retired_object referencing old table as removed new table as added
    for each statement execute function note_retired_object_bytes()`,
  `retired_object_bytes_deleted after delete on retired_object referencing old table as removed
    for each statement execute function note_retired_object_bytes()`,
];

async function addTriggers(db: Kysely<unknown>): Promise<void> {
  for (const trigger of TRIGGERS) await sql.raw(`create trigger ${trigger}`).execute(db);
}
