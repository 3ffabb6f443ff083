import { type Kysely, sql } from 'kysely';

/**
 * Indexes what an import reads in each step, so that a step takes the same time however many items wait: the next items
 * to start, the files that the source prepares, and the counts of a report.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index import_item_next on import_item (import_id, kind, (waits > 0) desc, place) where state = 'waiting'
  `.execute(db);
  await sql`
    create index import_item_prepared on import_item (import_id) where state = 'waiting' and waits > 0`.execute(db);
  await sql`
    create index import_item_counts on import_item (import_id, state, kind) include (size_bytes, duration_sec)
  `.execute(db);
}
