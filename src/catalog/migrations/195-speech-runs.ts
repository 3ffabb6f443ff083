import { type Kysely, sql } from 'kysely';

/**
 * A transcription can be cancelled, keeps its detected language, and has a number, so that the job of an earlier one
 * cannot write into it (docs/decisions/195).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(RUNS).execute(db);
}

const RUNS = `
  alter table speech_run add column language text;
  alter table speech_run add column run integer not null default 0;
  alter table speech_run drop constraint speech_run_state_check;
  alter table speech_run add constraint speech_run_state_check
    check (state in ('waiting', 'running', 'finished', 'failed', 'cancelled'));
`;
