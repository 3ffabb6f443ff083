import { type Kysely, sql } from 'kysely';

/** Adds the running processes of all roles, and the hourly work of all workers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table millrace_node (
      id uuid primary key,
      host text not null,
      role text not null,
      version text not null,
      started_at timestamptz not null,
      cpu_cores double precision not null,
      memory_bytes bigint not null,
      host_load double precision not null,
      host_cores integer not null,
      last_seen_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table work_hour (
      hour timestamptz primary key,
      failures bigint not null,
      media_sec double precision not null,
      busy_sec double precision not null
    )`.execute(db);
}
