import { type Kysely, sql } from 'kysely';

/** Titles in lower case, and the indexes that a title search reads instead of the rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TITLE_SEARCH).execute(db);
}

// Collation "C" compares bytes: LIKE is three times as fast as ILIKE. The trigrams find texts of three letters or more.
// Shorter texts are searched in the second index, newest video first, which contains every column needed.
const TITLE_SEARCH = `
  alter table media add column title_folded text collate "C" not null generated always as (lower(title)) stored;
  drop index media_title_trigrams;
  create index media_title_trigrams on media using gin (title_folded gin_trgm_ops);
  create index media_title_by_date on media (library_id, type, created_at desc, id desc) include (title_folded);
`;
