import { type Kysely, sql } from 'kysely';

/** Segments for viewers become encode tasks in a separate queue, instead of separate tables and a scheduler. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SEGMENTS).execute(db);
}

// One task per segment of a rendition, however many edges request it.
const SEGMENTS = `
  alter table encode_task drop constraint encode_work_lane_check;
  alter table encode_task add constraint encode_task_queue_check check (queue in ('quick', 'long', 'viewers'));
  create unique index encode_task_segment on encode_task ((rendition_ids[1]), from_segment) where kind = 'segment';
  drop table jit_run, jit_fault, encode_turn;
  drop function count_encode_turn, encode_standing;
  drop sequence jit_attempt;
`;
