import { type Kysely, sql } from 'kysely';

/** Whether the original of a video is deleted, as its library was set when the video finished. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(UNKEPT).execute(db);
}

const UNKEPT = `
  alter table media add column leaves_original boolean not null default false;
  create index media_leaves_original on media (state_since) where leaves_original;
`;
