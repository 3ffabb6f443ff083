import { type Kysely, sql } from 'kysely';

/**
 * Notifies of keys and sessions that may have lost rights, with the payload `keys` on the channel of progress: open
 * event streams are checked again. Uses triggers, because keys end in several places and each must notify.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      create function notify_keys() returns trigger language plpgsql as $$
        begin
          perform pg_notify('millrace_progress', 'keys');
          return null;
        end
      $$;
      create trigger access_key_ended after update of revoked_at, expires_at, hash or delete on access_key
        for each statement execute function notify_keys();
      create trigger session_ended after delete on dashboard_session
        for each statement execute function notify_keys();
      create trigger library_key_ended after update of api_key_hash, read_only_key_hash, deleted_at on library
        for each statement execute function notify_keys();
    `)
    .execute(db);
}
