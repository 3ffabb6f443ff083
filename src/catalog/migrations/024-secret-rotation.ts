import { type Kysely, sql } from 'kysely';

/**
 * Adds the rotation of the key that seals secrets, and the keys that each process uses. Older versions ignore both:
 * a rotation does not begin while one runs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table secret_rotation (
      singleton boolean primary key default true check (singleton),
      old_id text not null,
      new_id text not null,
      new_key_wrapped bytea not null,
      old_key_wrapped bytea not null,
      stage text not null check (stage in ('announced', 'switched', 'resealed')),
      started_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    alter table millrace_node
      add column configured_key_id text,
      add column key_ids text[]`.execute(db);
}
