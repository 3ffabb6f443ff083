import { type Kysely, sql } from 'kysely';

/** Makes claims of encoding work never wait for a lock, and gives each claim a unique number. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ATTEMPTS).execute(db);
  await sql.raw(CLAIM).execute(db);
}

// Objects are named by the attempt that stored them, and another task may make the same segments of a rendition later:
// a number counted per task would repeat. The attempt numbers of segments for viewers begin where these end.
const ATTEMPTS = 'create sequence encode_attempt as integer minvalue 1000000 maxvalue 999999999 cycle';

// Like the previous version, except for the attempt number, and that locked tasks are skipped: a worker that stalls
// while publishing must not block all other claims. Its caller sees that the task is busy and tries again.
const CLAIM = `
  create or replace function claim_encode_work(
    with_ticket uuid, by_owner text, for_sec double precision, plain_reason text)
  returns setof encode_work language plpgsql as $$
  declare own encode_work; chosen encode_work; next_library bigint;
  begin
    perform pg_advisory_xact_lock(1836217461);
    select * into own from encode_work where coalesce(ticket, id) = with_ticket
      and (state = 'waiting' or (state = 'running' and lease_until < now())) for update skip locked;
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
    return query update encode_work set ticket = with_ticket, state = 'running', attempt = nextval('encode_attempt'),
      deaths = deaths + (state = 'running')::int, owner = by_owner, reason = null, started_at = now(),
      lease_until = now() + make_interval(secs => for_sec)
      where id = chosen.id returning *;
  end $$;
`;
