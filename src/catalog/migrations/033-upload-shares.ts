import { type Kysely, sql } from 'kysely';

/** Finds uploads that wait to be planned by fair share and an index, like encode tasks, instead of reading all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SHARES).execute(db);
  await sql.raw(CHOOSE).execute(db);
}

// As for encode tasks: a library with a waiting upload has a row, created in the upload's transaction.
const SHARES = `
  create index media_uploaded on media (library_id, state_since, id) where type = 'video' and state = 'uploaded';
  create function share_upload() returns trigger language plpgsql as $$
  begin
    perform share_encode_lane('plan', new.library_id);
    return null;
  end $$;
  create trigger media_uploaded_inserted after insert on media for each row
    when (new.type = 'video' and new.state = 'uploaded') execute function share_upload();
  create trigger media_uploaded_changed after update of state on media for each row
    when (new.type = 'video' and new.state = 'uploaded' and old.state <> 'uploaded') execute function share_upload();
  create function share_upload_lanes() returns void language sql as $$
    with recursive waiting (library_id) as (
      (select library_id from media where type = 'video' and state = 'uploaded' order by library_id limit 1)
      union all
      select next.library_id from waiting w cross join lateral (
        select m.library_id from media m where m.type = 'video' and m.state = 'uploaded' and m.library_id > w.library_id
        order by m.library_id limit 1) next)
    insert into encode_share (lane, library_id, virtual_time) select 'plan', library_id, 0 from waiting
    on conflict do nothing
  $$;
  select share_upload_lanes();
  delete from encode_turn where lane = 'process';
`;

// Locks the returned video, and waits for no lock.
const CHOOSE = `
  create function choose_upload(most_tries integer) returns table (library_id bigint, media_id uuid)
  language plpgsql as $$
  declare share record; chosen uuid;
  begin
    for share in select s.library_id from encode_share s where s.lane = 'plan'
      order by s.virtual_time, s.library_id loop
      select m.id into chosen from media m
      where m.library_id = share.library_id and m.type = 'video' and m.state = 'uploaded' and m.source_key is not null
        and m.process_tries < most_tries
      order by m.state_since, m.id limit 1 for update skip locked;
      if found then
        update encode_share s set virtual_time = s.virtual_time + 1
        where s.ctid = (select o.ctid from encode_share o where o.lane = 'plan' and o.library_id = share.library_id
          for no key update skip locked);
        return query select share.library_id, chosen;
        return;
      end if;
      perform from encode_share s where s.lane = 'plan' and s.library_id = share.library_id for update skip locked;
      if found then
        delete from encode_share s where s.lane = 'plan' and s.library_id = share.library_id and not exists (
          select from media m where m.library_id = share.library_id and m.type = 'video' and m.state = 'uploaded');
      end if;
    end loop;
  end $$;
`;
