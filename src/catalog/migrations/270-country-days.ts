import { type QueryExecutorProvider, sql } from 'kysely';

/** Views and watch time by day and country, and estimates by day: daily charts read these instead of each hour. */
export async function up(db: QueryExecutorProvider): Promise<void> {
  await sql.raw(FILL).execute(db);
}

// The all-zero media id represents the whole library, whose sums outlive those of its videos.
const FILL = `
  with hours as (
    select library_id, media_id, hour, country, views, watch_sec, estimated_views, estimated_watch_sec from stat_hour
    union all
    select library_id, '00000000-0000-0000-0000-000000000000', hour, country, views, watch_sec, estimated_views,
      estimated_watch_sec
    from stat_library_hour
  ), days as (
    select library_id, media_id, (hour at time zone 'UTC')::date as day, 'country' as kind, country as value,
      sum(views) as sessions, sum(watch_sec) as amount
    from hours group by 1, 2, 3, 5
    union all
    select library_id, media_id, (hour at time zone 'UTC')::date, 'estimate', '', sum(estimated_views),
      sum(estimated_watch_sec)
    from hours group by 1, 2, 3
  )
  insert into stat_day (library_id, media_id, day, kind, value, sessions, amount)
  select * from days where sessions <> 0 or amount <> 0 order by 1, 2, 3, 4, 5
`;
