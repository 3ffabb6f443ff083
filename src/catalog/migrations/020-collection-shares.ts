import { type Kysely, sql } from 'kysely';

/**
 * Adds shares of collections and the order of the videos of a collection. Older versions list neither; they cannot open
 * the shares of collections.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      alter column media_id drop not null,
      add column collection_id uuid,
      add constraint share_target check (num_nonnulls(media_id, collection_id) = 1),
      add foreign key (library_id, collection_id) references collection (library_id, id) on delete cascade`.execute(db);
  await sql`create index share_collection on share (library_id, collection_id)
    where collection_id is not null`.execute(db);
  await sql`
    alter table collection
      add column video_order text not null default 'oldest',
      add column manual_order uuid[] not null default '{}'`.execute(db);
}
