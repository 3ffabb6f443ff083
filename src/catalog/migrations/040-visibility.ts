import { type Kysely, sql } from 'kysely';

/**
 * Adds the visibility of videos. Older versions ignore it: their edges deliver private videos like public ones, and a
 * live stream that they end becomes a public recording.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media add column visibility text not null default 'public'`.execute(db);
  await sql`alter table bulk_operation add column visibility text`.execute(db);
  await sql`alter table bulk_operation drop constraint bulk_operation_kind_check`.execute(db);
  await sql`
    alter table bulk_operation add constraint bulk_operation_kind_check check (kind in ('move', 'visibility', 'trash',
      'restore', 'delete', 'reencode', 'retry', 'cancel', 'transcribe'))`.execute(db);
  await sql`alter table bulk_item add column visibility_before text`.execute(db);
}
