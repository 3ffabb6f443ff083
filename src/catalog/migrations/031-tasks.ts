import { type Kysely, sql } from 'kysely';

/**
 * One table of encode tasks, which workers claim by an index: fair share by library, pauses before retries, and
 * wake-ups of idle workers. Until now each task also had a pg-boss job.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COLUMNS).execute(db);
  await sql.raw(SHARES).execute(db);
  await sql.raw(READY).execute(db);
  await sql.raw(CLAIM).execute(db);
  await sql.raw(TEND).execute(db);
  await sql.raw(EXISTING).execute(db);
}

// Renewals change no indexed column and find space on their page: they are HOT updates, which touch no index.
const COLUMNS = `
  drop function claim_encode_work(uuid, text, double precision, text);
  drop index encode_work_ticket, encode_work_waiting, encode_work_open;
  alter table encode_work
    drop column ticket,
    add column is_ready boolean not null default true,
    add column ready_at timestamptz not null default now(),
    add column postponements integer not null default 0,
    set (fillfactor = 75);
  alter table media
    add column encode_done double precision not null default 0,
    add column encode_total double precision not null default 0;
  create index encode_work_claim on encode_work (lane, library_id, priority desc, created_at, id)
    where state = 'waiting' and is_ready;
  create index encode_work_later on encode_work (ready_at) where state = 'waiting' and not is_ready;
  create index encode_work_running on encode_work (lane, library_id) where state = 'running';
`;

// A row for each library with ready tasks in a lane. Its virtual time is its use of the lane so far, weighted by tasks
// (start-time fair queueing). If the rows are lost in a crash, all libraries restart as equals, so the tables need no
// log; rows for waiting tasks are created again by 'tend_encode_tasks'.
const SHARES = `
  create unlogged table encode_share (
    lane text not null,
    library_id bigint not null,
    virtual_time double precision not null,
    primary key (lane, library_id)
  ) with (fillfactor = 50);
  create index encode_share_order on encode_share (lane, virtual_time, library_id);
  create unlogged table encode_idle (lane text not null, owner text not null, since timestamptz not null default now());
  create table encode_clock (
    id boolean primary key default true check (id),
    seen_at timestamptz not null,
    steady_since timestamptz not null
  );
  insert into encode_clock (seen_at, steady_since) values (now(), now());
`;

// The share is locked until the commit, so that no claim removes it while the task that needs it is not visible yet.
// That lock blocks neither other inserts nor the advance of virtual time. One idle worker is woken for each ready task.
const READY = `
  create function share_encode_lane(in_lane text, of_library bigint) returns void language plpgsql as $$
  begin
    loop
      perform from encode_share where lane = in_lane and library_id = of_library for key share;
      exit when found;
      insert into encode_share (lane, library_id, virtual_time)
      select in_lane, of_library, coalesce(min(virtual_time), 0) from encode_share where lane = in_lane
      on conflict do nothing;
    end loop;
  end $$;
  create function ready_encode_task() returns trigger language plpgsql as $$
  declare woken text;
  begin
    perform share_encode_lane(new.lane, new.library_id);
    delete from encode_idle where ctid = (
      select ctid from encode_idle where lane = new.lane order by since limit 1 for update skip locked)
    returning owner into woken;
    if woken is not null then perform pg_notify('millrace_task', woken); end if;
    return null;
  end $$;
  create trigger encode_task_inserted after insert on encode_work for each row
    when (new.state = 'waiting' and new.is_ready) execute function ready_encode_task();
  create trigger encode_task_ready after update of state, is_ready on encode_work for each row
    when (new.state = 'waiting' and new.is_ready and (old.state <> 'waiting' or not old.is_ready))
    execute function ready_encode_task();
`;

// Never waits for a lock: a worker that stalls within a transaction must not stop the others. A share whose tasks are
// all claimed is removed. A separate statement checks whether any is left, so that it sees everything committed before
// the share was locked.
const CLAIM = `
  create function claim_encode_task(
    in_lane text, by_owner text, lease_sec double precision, least_priority integer, without_media uuid[])
  returns setof encode_work language plpgsql as $$
  declare share record; chosen encode_work;
  begin
    for share in select library_id from encode_share where lane = in_lane order by virtual_time, library_id loop
      select * into chosen from encode_work
      where state = 'waiting' and is_ready and lane = in_lane and library_id = share.library_id
        and priority >= least_priority and media_id <> all (without_media)
      order by priority desc, created_at, id limit 1 for update skip locked;
      if found then
        update encode_share set virtual_time = virtual_time + chosen.weight
        where ctid = (select ctid from encode_share where lane = in_lane and library_id = share.library_id
          for no key update skip locked);
        return query update encode_work set state = 'running', attempt = nextval('encode_attempt'), owner = by_owner,
          reason = null, started_at = now(), lease_until = now() + make_interval(secs => lease_sec)
          where id = chosen.id returning *;
        return;
      end if;
      perform from encode_share where lane = in_lane and library_id = share.library_id for update skip locked;
      if found then
        delete from encode_share where lane = in_lane and library_id = share.library_id and not exists (
          select from encode_work where state = 'waiting' and is_ready and lane = in_lane
            and library_id = share.library_id);
      end if;
    end loop;
  end $$;
`;

// Runs at most once a second, whichever worker calls it. Leases are taken from dead workers only after the database has
// been up without a gap for a while: after a pause every living worker renews first.
const TEND = `
  create function tend_encode_tasks(steady_sec double precision) returns void language plpgsql as $$
  declare steady timestamptz;
  begin
    update encode_clock set seen_at = clock_timestamp(), steady_since =
      case when seen_at < clock_timestamp() - interval '10 seconds' then clock_timestamp() else steady_since end
    where id = (select id from encode_clock where seen_at < clock_timestamp() - interval '1 second'
      for update skip locked)
    returning steady_since into steady;
    if not found then return; end if;
    update encode_work set is_ready = true where id in (
      select id from encode_work where state = 'waiting' and not is_ready and ready_at <= now()
      order by ready_at limit 1000 for update skip locked);
    if steady <= clock_timestamp() - make_interval(secs => steady_sec) then
      update encode_work set state = 'waiting', is_ready = true, deaths = deaths + 1, owner = null, lease_until = null,
        reason = 'waiting for an encoder slot'
      where id in (select id from encode_work where state = 'running' and lease_until < now()
        limit 1000 for update skip locked);
    end if;
    delete from encode_idle where since < now() - interval '1 minute';
  end $$;
  create function share_encode_lanes() returns void language sql as $$
    with recursive waiting (lane, library_id) as (
      (select lane, library_id from encode_work where state = 'waiting' and is_ready order by lane, library_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select e.lane, e.library_id from encode_work e where e.state = 'waiting' and e.is_ready
          and (e.lane, e.library_id) > (w.lane, w.library_id) order by e.lane, e.library_id limit 1) next)
    insert into encode_share (lane, library_id, virtual_time) select lane, library_id, 0 from waiting
    on conflict do nothing
  $$;
`;

// Existing tasks have no share yet. Their pg-boss jobs find no handler and are dropped.
const EXISTING = `
  select share_encode_lanes();
  do $$ begin
    if to_regclass('millrace_queue.job') is not null then
      delete from millrace_queue.job where data->>'job' in ('pass-through-quick', 'video-quick', 'video-long',
        'fill-long',
        'audio-quick', 'audio-long', 'thumbnail-quick', 'pictures-quick', 'pictures-long', 'jit-start-quick',
        'compose-quick', 'compose-long', 'compose-sound-quick', 'repair-long');
    end if;
  end $$;
`;
