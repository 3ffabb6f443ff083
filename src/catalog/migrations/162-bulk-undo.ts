import { type Kysely, sql } from 'kysely';

/** Moves can be undone: each moved video remembers its previous collection. Also adds bulk transcription. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      alter table bulk_operation
        add column undoes text,
        drop constraint bulk_operation_kind_check,
        add constraint bulk_operation_kind_check
          check (kind in ('move', 'trash', 'restore', 'delete', 'reencode', 'retry', 'transcribe'));
      alter table bulk_item add column collection_before uuid;
    `)
    .execute(db);
}
