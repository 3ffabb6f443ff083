import { type Kysely, sql } from 'kysely';

/** Titles in small letters, and the indexes that a search in titles reads instead of the rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TITLE_SEARCH).execute(db);
}

// Collation "C" compares bytes: LIKE is three times as fast as ILIKE. The trigrams find what has three letters or
// more; shorter texts are looked for in the second index, newest video first, which holds all that takes.
const TITLE_SEARCH = `
  alter table media add column title_folded text collate "C" not null generated always as (lower(title)) stored;
  drop index media_title_trigrams;
  create index media_title_trigrams on media using gin (title_folded gin_trgm_ops);
  create index media_title_by_date on media (library_id, type, created_at desc, id desc) include (title_folded);
`;
