import { type Kysely, sql } from 'kysely';

/**
 * State of an upload: `open` accepts bytes, `complete` passed them to the video, `closing` was abandoned and its bytes
 * are being removed. `attempt` fences the workers that fetch.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(UPLOADS).execute(db);
}

const UPLOADS = `
  alter table upload
    add column state text not null default 'open' check (state in ('open', 'complete', 'closing')),
    add column attempt integer not null default 0;
`;
