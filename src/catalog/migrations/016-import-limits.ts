import { type Kysely, sql } from 'kysely';

/**
 * Adds limits of imports, and feeds of collections. Older versions ignore both, and cannot run an import from a source
 * that they do not know.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table library_import
      add column max_bytes_per_sec bigint,
      add column skips_duplicates boolean not null default false,
      add column source_bytes_per_sec bigint,
      add column running_at timestamptz`.execute(db);
  await sql`
    alter table import_item add column waits integer not null default 0, add column file_bytes bigint`.execute(db);
  await sql`
    create table collection_feed (
      library_id bigint not null,
      collection_id uuid not null,
      title text,
      description text,
      author text,
      language text,
      category text,
      is_explicit boolean not null default false,
      token_sealed bytea,
      primary key (library_id, collection_id),
      foreign key (library_id, collection_id) references collection (library_id, id) on delete cascade
    )`.execute(db);
}
