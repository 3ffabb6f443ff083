import { type Kysely, sql } from 'kysely';

/** Renames tables and columns to the field's terms (docs/glossary.md), and recreates functions that use them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(STANDARD_NAMES).execute(db);
}

// Indexes, constraints and triggers follow a renamed table or column; the text of functions does not.
const STANDARD_NAMES = String.raw`
  alter table encode_work rename to encode_task;
  alter table encode_task rename column lane to queue;
  alter table encode_share rename column lane to queue;
  alter table encode_idle rename column lane to queue;
  alter table encode_turn rename column lane to queue;
  alter table rendition rename column lane to iv_prefix;
  alter table upload rename column door to method;
  alter table jit_wish rename to segment_request;
  alter function share_encode_lane rename to share_encode_queue;
  alter function share_encode_lanes rename to share_encode_queues;
  alter function share_upload_lanes rename to share_upload_queues;
  update encode_task set kind = 'backfill' where kind = 'fill';
  delete from encode_speed where kind = 'fill' or kind like 'fill/%';

  do $do$
  declare
    definition text;
  begin
    for definition in
      select pg_get_functiondef(p.oid) from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.prosrc ~ '\m(encode_work|lane|\w+_lanes?|jit_wish)\M'
    loop
      definition := regexp_replace(definition, '\mencode_work\M', 'encode_task', 'g');
      definition := regexp_replace(definition, '\mjit_wish\M', 'segment_request', 'g');
      definition := regexp_replace(definition, '\mshare_(encode|upload)_lane', 'share_\1_queue', 'g');
      execute regexp_replace(definition, '\mlane\M', 'queue', 'g');
    end loop;
  end
  $do$;
`;
