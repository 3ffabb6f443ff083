import { type Kysely, sql } from 'kysely';

/** Far pages of a list by title come from the index alone, which an index over an expression cannot give. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TITLE_START).execute(db);
}

// A title may be longer than an entry of an index. The beginning is a column, so that the planner sees that the index
// holds all that the order reads: half a second a page in the midst of 200,000 videos without.
const TITLE_START = `
  alter table media add column title_start text not null generated always as (left(title, 200)) stored;
  drop index media_by_title;
  create index media_by_title on media (library_id, type, title_start, id);
`;
