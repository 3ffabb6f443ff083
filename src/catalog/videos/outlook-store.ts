import { type RawBuilder, sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import type { MediaState } from '../schema.ts';
import { type EncodeTask, WAITING_FOR_SLOT } from '../tasks/encode-task.ts';
import { BACKFILL_DELAY_SEC, BESIDE_KINDS, IMAGE_KINDS } from '../tasks/task-kind.ts';
import { unknownVideo } from '../unknown-video.ts';
import type { OutlookView, QueueOutlook } from './outlook.ts';

/** Weight of the latest task relative to all earlier ones. */
const LATEST_SHARE = 0.2;
/** Minimum duration of a measured task, in s. Shorter ones measure start-up rather than speed. */
const MIN_SEC = 0.2;
/** The kind under which the speed of a task `w` with the rendition `r` is stored. */
const SPEED_KIND = sql<string>`w.kind || coalesce('/' || r.codec, '')`;
/** Seconds per unit of weight before any was measured: an x264 ladder on one core. */
const USUAL_SEC_PER_WEIGHT = 4e-7;

/**
 * Maximum number of rows read: other libraries, tasks of each of them, and tasks of the video's own library before it.
 */
const SAMPLED_LIBRARIES = 20;
const TASKS_PER_LIBRARY = 100;
const TASKS_AHEAD = 5_000;
const UPLOADS_AHEAD = 10_000;

/** Loads the reasons why a video waits. Throws `Refused` (`not-found`) for an unknown video. */
export async function loadOutlook(db: Db, key: MediaKey): Promise<OutlookView> {
  const { rows } = await sql<{ state: MediaState; reason: string | null; uploadsAhead: number }>`
    select state, state_reason as reason, (select count(*) from (
      select from media o where o.library_id = m.library_id and o.type = 'video' and o.id <> m.id
        and o.state in ('uploaded', 'processing') and (o.state_since, o.id) < (m.state_since, m.id)
      limit ${UPLOADS_AHEAD}) before) as "uploadsAhead"
    from media m where library_id = ${key.libraryId} and id = ${key.mediaId} and type = 'video'
  `.execute(db);
  const [media] = rows;
  if (media === undefined) {
    throw unknownVideo(key);
  }
  return { ...media, queues: await loadQueues(db, key), heldUp: await loadHeldUp(db, key) };
}

/**
 * Counts the work before the video's last task, because a video's tasks rank from early to late on its timeline, with
 * others in between. Bounded for any queue: reads the most urgent tasks of long queues, and a sample of many other
 * libraries, whose mean represents all.
 */
async function loadQueues(db: Db, { libraryId, mediaId }: MediaKey): Promise<QueueOutlook[]> {
  const { rows } = await sql<QueueOutlook>`
    with speed as materialized (
      select split_part(kind, '/', 1) as kind, avg(sec_per_weight) as sec from encode_speed group by 1
    ), own as materialized (
      select w.queue, bool_or(w.state = 'running') as running, min(w.priority) as last, max(w.priority) as first,
        max(w.created_at) as created_at, bool_and(w.state = 'waiting' and w.kind = 'backfill') as leaves,
        bool_and(w.kind = any (${IMAGE_KINDS}::text[])) as images,
        sum(w.weight * (1 - w.done_fraction) * coalesce(s.sec_per_weight, ${USUAL_SEC_PER_WEIGHT}::float8)) as sec
      from encode_task w left join rendition r on r.id = w.rendition_ids[1]
      left join encode_speed s on s.kind = ${SPEED_KIND}
      where w.library_id = ${libraryId} and w.media_id = ${mediaId} and w.state in ('waiting', 'running')
        and w.kind <> all (${BESIDE_KINDS}::text[]) group by w.queue
    )
    select own.sec as "ownSec", own.running as "isRunning", own.images as "isOnlyImages",
      ahead.videos as "videosAhead", ahead.sec as "aheadSec",
      others.number as "otherLibraries", array(select seconds.sec from
        (select o.library_id from encode_share o where o.queue = own.queue and o.library_id <> ${libraryId}
          order by o.virtual_time, o.library_id limit ${SAMPLED_LIBRARIES}) o
        cross join lateral (select sum(sec) as sec from (
          select w.weight * (1 - w.done_fraction) * coalesce(s.sec, ${USUAL_SEC_PER_WEIGHT}::float8) as sec
          from (${openIn(sql`o.library_id`, TASKS_PER_LIBRARY)}) w left join speed s on s.kind = w.kind) tasks) seconds
        where seconds.sec is not null) as "otherLibrariesSec",
      (select count(*) from encode_task t where t.state = 'running' and t.queue = own.queue) as slots,
      case when own.leaves then greatest(0, ${BACKFILL_DELAY_SEC} - extract(epoch from now() - own.created_at))::float8
        else 0 end as "delaySec"
    from own
    cross join lateral (select count(*) as number from encode_share o
      where o.queue = own.queue and o.library_id <> ${libraryId}) others
    cross join lateral (
      select coalesce(sum(w.weight * (1 - w.done_fraction) * coalesce(s.sec, ${USUAL_SEC_PER_WEIGHT}::float8)), 0)
        as sec,
        count(distinct w.media_id) filter (where w.state = 'running' or w.priority > own.first
          or (w.priority = own.first and w.created_at < own.created_at)) as videos
      from (${openIn(sql`${libraryId}::bigint`, TASKS_AHEAD)}) w left join speed s on s.kind = w.kind
      where w.media_id <> ${mediaId} and (w.state = 'running' or w.priority > own.last
        or (w.priority = own.last and w.created_at < own.created_at))) ahead
      `.execute(db);
  return rows;
}

/** Selects a bounded number of a library's running or ready tasks in the queue `own.queue`, most urgent first. */
function openIn(libraryId: RawBuilder<unknown>, limit: number) {
  return sql`(select * from encode_task where state = 'waiting' and is_ready and queue = own.queue
      and library_id = ${libraryId} order by priority desc, created_at, id limit ${limit})
    union all (select * from encode_task where state = 'running' and queue = own.queue and library_id = ${libraryId})`;
}

async function loadHeldUp(db: Db, { libraryId, mediaId }: MediaKey): Promise<OutlookView['heldUp']> {
  const row = await db
    .selectFrom('encode_task')
    .select(['reason', 'failures'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('state', '=', 'waiting')
    .where('kind', 'not in', BESIDE_KINDS)
    .where('reason', '<>', WAITING_FOR_SLOT)
    .orderBy('priority', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { reason: row.reason ?? '', failures: row.failures };
}

/** Duration of a successful task. */
export type SpeedSample = { task: EncodeTask; tookSec: number };

/**
 * Records how long tasks took, for estimates of waiting times. Called in batches and apart from the commits of tasks.
 */
export async function measureSpeeds(db: Db, samples: readonly SpeedSample[]): Promise<void> {
  await sql`
    insert into encode_speed as s (kind, sec_per_weight)
    select ${SPEED_KIND}, avg(greatest(${MIN_SEC}::float8, w.sec) / w.weight)
    from unnest(${samples.map(({ task }) => task.kind)}::text[],
      ${samples.map(({ task }) => task.renditionIds[0] ?? null)}::uuid[],
      ${samples.map(({ task }) => task.weight)}::float8[], ${samples.map(({ tookSec }) => tookSec)}::float8[])
      w(kind, rendition_id, weight, sec)
    left join rendition r on r.id = w.rendition_id group by 1 order by 1
    on conflict (kind) do update set
      sec_per_weight = (1 - ${LATEST_SHARE}::float8) * s.sec_per_weight
        + ${LATEST_SHARE}::float8 * excluded.sec_per_weight
  `.execute(db);
}
