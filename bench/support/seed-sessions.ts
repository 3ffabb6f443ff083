import type pg from 'pg';

const COUNTRIES = 30;
const BUCKETS = 600;

/**
 * Fills library 1 with viewing sessions of its videos over the past days, and with the sums that counting them
 * individually would have produced. As in real libraries, a few videos have most of the sessions.
 */
export async function seedSessions(
  client: pg.Client,
  { sessions, days }: { sessions: number; days: number },
): Promise<void> {
  await client.query(`set synchronous_commit = off; set work_mem = '256MB'`);
  for (let day = days; day >= 0; day -= 1) {
    await client.query(`do $$ declare d date := (now() at time zone 'UTC')::date - ${day}; begin
      execute format('create table if not exists view_session_%s partition of view_session for values
          from (%L) to (%L) with (fillfactor = 50)',
          to_char(d, 'YYYY_MM_DD'), d || ' 00:00Z', d + 1 || ' 00:00Z'); end $$`);
  }
  await client.query(`create temp table watched as
    select array_agg(id order by id) as ids, count(*)::int as videos from media where library_id = 1
      and state = 'finished'`);
  await client.query(
    `insert into view_session (start_hour, session_id, library_id, media_id, sequence, country, device, referrer_host,
       watched_sec, rung_sec, startup_ms)
     select date_trunc('hour', now() - random() * make_interval(days => $2)), gen_random_uuid(), 1,
       ids[1 + floor(videos * power(random(), 3))::int], 3, chr(65 + n % ${COUNTRIES / 2}) || chr(65 + n % 2),
       (array['desktop', 'mobile', 'tv'])[1 + n % 3], 'site-' || n % 40 || '.example',
       array[1 + n % 200], '{"720": 10}', 100 + n % 900
     from generate_series(1, $1::int) n, watched`,
    [sessions, days],
  );
  for (const statement of SUMS) await client.query(statement);
  for (const table of ['view_session', 'stat_hour', 'stat_library_hour', 'stat_day', 'media_heat']) {
    await client.query(`vacuum analyze ${table}`);
  }
  await client.query('checkpoint');
}

const LIBRARY = `'00000000-0000-0000-0000-000000000000'::uuid`;
const FACTS = `cross join lateral (values ('device', device, watched_sec[1]),
  ('referrer', referrer_host, watched_sec[1]), ('rung', '720', 10),
  ('startup', (startup_ms / 100 * 100)::text, startup_ms)) fact (kind, value, amount)`;

const SUMS = [
  `insert into stat_hour (library_id, media_id, hour, country, views, watch_sec)
     select 1, media_id, start_hour, country, count(*), sum(watched_sec[1]) from view_session group by 2, 3, 4`,
  `insert into stat_library_hour (library_id, hour, country, views, watch_sec)
     select 1, hour, country, sum(views), sum(watch_sec) from stat_hour group by 2, 3`,
  `insert into stat_day (library_id, media_id, day, kind, value, sessions, amount)
     select 1, media_id, start_hour::date, kind, value, count(*), sum(amount) from view_session ${FACTS}
     group by 2, 3, 4, 5`,
  `insert into stat_day (library_id, media_id, day, kind, value, sessions, amount)
     select 1, ${LIBRARY}, day, kind, value, sum(sessions), sum(amount) from stat_day group by 3, 4, 5`,
  `insert into stat_day (library_id, media_id, day, kind, value, sessions, amount)
     select 1, media_id, (hour at time zone 'UTC')::date, 'country', country, sum(views), sum(watch_sec) from (
       select media_id, hour, country, views, watch_sec from stat_hour
       union all select ${LIBRARY}, hour, country, views, watch_sec from stat_library_hour) hours
     group by 2, 3, 5`,
  `insert into media_heat (library_id, media_id, bucket_sec, sessions, counts, reached, reached_sessions)
     select 1, media_id, 1, count(*), decode(repeat('0a0b0000', ${BUCKETS}), 'hex'),
       decode(repeat('05000000', ${BUCKETS}), 'hex'), count(*) from view_session group by media_id`,
  `update media set views = seen.views, watch_sec_total = seen.watch_sec from
     (select media_id, sum(views) as views, sum(watch_sec) as watch_sec from stat_hour group by 1) seen
     where library_id = 1 and id = seen.media_id`,
];
