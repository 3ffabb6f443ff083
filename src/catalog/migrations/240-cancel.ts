import { type Kysely, sql } from 'kysely';

/** The encoding of many videos can be cancelled at once. */
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
