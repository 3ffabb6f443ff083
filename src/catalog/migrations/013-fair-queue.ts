import { type Kysely, sql } from 'kysely';

/**
 * Fair sharing of encoders among libraries: which job runs which task, which library is next, and the measured speed of
 * each kind of task, from which waiting times are estimated.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TURNS).execute(db);
  await sql.raw(STANDING).execute(db);
  await sql.raw(CLAIM).execute(db);
}

// Tasks swap their tickets in one statement, so the index cannot be unique.
const TURNS = `
  alter table encode_work
    add column ticket uuid,
    add column started_at timestamptz;
  create index encode_work_ticket on encode_work ((coalesce(ticket, id)));
  create index encode_work_waiting on encode_work (lane, kind, library_id) where state = 'waiting';
  create index media_waiting on media (library_id, state_since, id)
    where type = 'video' and state in ('uploaded', 'processing');
  create table encode_turn (
    lane text not null,
    library_id bigint not null references library (id) on delete cascade,
    turn double precision not null,
    pass double precision not null,
    primary key (lane, library_id)
  );
  create table encode_speed (
    kind text primary key,
    sec_per_weight double precision not null
  );
`;

// A library earns no credit while it has no waiting tasks: a newcomer starts at the virtual time of the lane's latest
// claim.
const STANDING = `
  create function encode_standing(in_lane text, of_library bigint) returns double precision language sql stable as $$
    select greatest(
      coalesce((select pass from encode_turn where lane = in_lane and library_id = of_library), 0),
      coalesce((select max(turn) from encode_turn where lane = in_lane), 0))
  $$;
  create function count_encode_turn(in_lane text, of_library bigint, weight double precision) returns void
  language sql as $$
    insert into encode_turn (lane, library_id, turn, pass)
    select in_lane, of_library, begins, begins + weight from (select encode_standing(in_lane, of_library) as begins) b
    on conflict (lane, library_id) do update set turn = excluded.turn, pass = excluded.pass
  $$;
`;

// Uses a function, because none of its locks may outlast the statement: a stalled worker must not stop the others. The
// lock admits one claim at a time, because a look-up of a ticket while two tasks swap tickets would find neither.
const CLAIM = `
  create function claim_encode_work(with_ticket uuid, by_owner text, for_sec double precision, plain_reason text)
  returns setof encode_work language plpgsql as $$
  declare own encode_work; chosen encode_work; next_library bigint;
  begin
    perform pg_advisory_xact_lock(1836217461);
    select * into own from encode_work where coalesce(ticket, id) = with_ticket
      and (state = 'waiting' or (state = 'running' and lease_until < now())) for update;
    if not found then return; end if;
    chosen := own;
    if own.state = 'waiting' and own.failures = 0 and own.reason = plain_reason then
      select waiting.library_id into next_library from (
        select library_id, max(priority) as urgency, min(created_at) as oldest from encode_work
        where state = 'waiting' and lane = own.lane and kind = own.kind and failures = 0 and reason = plain_reason
        group by library_id) waiting
      cross join (select coalesce(max(turn), 0) as turn from encode_turn where lane = own.lane) latest
      left join encode_turn t on t.lane = own.lane and t.library_id = waiting.library_id
      order by greatest(coalesce(t.pass, 0), latest.turn), urgency desc, oldest limit 1;
      select * into chosen from encode_work
      where state = 'waiting' and lane = own.lane and kind = own.kind and failures = 0 and reason = plain_reason
        and library_id = next_library
      order by priority desc, created_at, id limit 1 for update skip locked;
      if not found then chosen := own; end if;
    end if;
    if chosen.id <> own.id then
      update encode_work set ticket = coalesce(chosen.ticket, chosen.id) where id = own.id;
    end if;
    perform count_encode_turn(chosen.lane, chosen.library_id, chosen.weight);
    return query update encode_work set ticket = with_ticket, state = 'running', attempt = attempt + 1,
      deaths = deaths + (state = 'running')::int, owner = by_owner, reason = null, started_at = now(),
      lease_until = now() + make_interval(secs => for_sec)
      where id = chosen.id returning *;
  end $$;
`;
