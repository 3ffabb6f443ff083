import { type Kysely, sql } from 'kysely';

/** Adds a bulk operation that cancels the encoding of many videos. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      alter table bulk_operation
        drop constraint bulk_operation_kind_check,
        add constraint bulk_operation_kind_check
          check (kind in ('move', 'trash', 'restore', 'delete', 'reencode', 'retry', 'cancel', 'transcribe'));
    `)
    .execute(db);
}
