import { type Kysely, sql } from 'kysely';

/**
 * Adds the oldest version of the code that still runs on each migration, and the requests to drain processes. Code that
 * does not know a migration reads here whether it may still use the database.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schema_compatibility (
      name text primary key,
      oldest_version text not null,
      applied_by text,
      applied_at timestamptz not null default now()
    )`.execute(db);
  await sql`insert into schema_compatibility (name, oldest_version) select name, '0.1.0' from kysely_migration`.execute(
    db,
  );
  await sql`alter table millrace_node add column drain_requested_at timestamptz`.execute(db);
  await sql`alter table millrace_node add column is_draining boolean not null default false`.execute(db);
}
