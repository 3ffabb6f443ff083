import { type Kysely, sql } from 'kysely';

/** Records whether the original of a video is deleted, from the setting of its library when the video finished. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(UNKEPT).execute(db);
}

const UNKEPT = `
  alter table media add column leaves_original boolean not null default false;
  create index media_leaves_original on media (state_since) where leaves_original;
`;
