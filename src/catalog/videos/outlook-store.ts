import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { Db, MediaKey } from '../db.ts';
import { SPEED_KIND } from '../encoding/speed-store.ts';
import { WAITING_FOR_SLOT } from '../encoding/work.ts';
import { FILL_DELAY_SEC } from '../encoding/work-kind.ts';
import type { MediaState } from '../schema.ts';
import type { LaneOutlook, OutlookView } from './outlook.ts';

/** Seconds that a unit of weight takes before any was measured: a ladder of x264 on one core. */
const USUAL_SEC_PER_WEIGHT = 4e-7;

/** Reads why videos wait. Refuses (`not-found`) a video that does not exist. */
export type OutlookStore = { load(key: MediaKey): Promise<OutlookView> };

export function createOutlookStore(db: Db): OutlookStore {
  return { load: (key) => loadOutlook(db, key) };
}

async function loadOutlook(db: Db, key: MediaKey): Promise<OutlookView> {
  const { rows } = await sql<{ state: MediaState; reason: string | null; uploadsAhead: number }>`
    select state, state_reason as reason, (select count(*) from media o where o.library_id = m.library_id
      and o.type = 'video' and o.id <> m.id and o.state in ('uploaded', 'processing')
      and (o.state_since, o.id) < (m.state_since, m.id)) as "uploadsAhead"
    from media m where library_id = ${key.libraryId} and id = ${key.mediaId} and type = 'video'
  `.execute(db);
  const [media] = rows;
  if (media === undefined) {
    throw new Refused('not-found', `There is no video ${key.mediaId} in library ${key.libraryId}. Check the id.`);
  }
  return { ...media, lanes: await loadLanes(db, key), heldUp: await loadHeldUp(db, key) };
}

/** Its last work counts: a video's works rank from early to late on its timeline, and others stand in between. */
async function loadLanes(db: Db, { libraryId, mediaId }: MediaKey): Promise<LaneOutlook[]> {
  const { rows } = await sql<LaneOutlook>`
    with open as (
      select w.library_id, w.media_id, w.lane, w.kind, w.state, w.priority, w.created_at,
        w.weight * (1 - w.done_fraction) * coalesce(s.sec_per_weight, ${USUAL_SEC_PER_WEIGHT}::float8) as sec
      from encode_work w left join rendition r on r.id = w.rendition_ids[1]
      left join encode_speed s on s.kind = ${SPEED_KIND}
      where w.state in ('waiting', 'running')
    ), own as (
      select lane, sum(sec) as sec, bool_or(state = 'running') as running, min(priority) as last, max(priority) as first,
        max(created_at) as created_at, bool_and(state = 'waiting' and kind = 'fill') as leaves
      from open where library_id = ${libraryId} and media_id = ${mediaId} group by lane
    )
    select own.sec as "ownSec", own.running as "isRunning",
      count(distinct o.media_id) filter (where o.library_id = ${libraryId} and (o.state = 'running'
        or o.priority > own.first or (o.priority = own.first and o.created_at < own.created_at))) as "videosAhead",
      coalesce(sum(o.sec) filter (where o.library_id = ${libraryId} and (o.state = 'running'
        or o.priority > own.last or (o.priority = own.last and o.created_at < own.created_at))), 0) as "aheadSec",
      array(select sum(t.sec) from open t where t.library_id <> ${libraryId} and t.lane = own.lane
        group by t.library_id) as "otherLibrariesSec",
      (select count(*) from open t where t.state = 'running' and t.lane = own.lane) as slots,
      case when own.leaves then greatest(0, ${FILL_DELAY_SEC} - extract(epoch from now() - own.created_at))::float8
        else 0 end as "delaySec"
    from own left join open o on o.lane = own.lane and o.library_id = ${libraryId} and o.media_id <> ${mediaId}
    group by own.lane, own.sec, own.running, own.first, own.last, own.created_at, own.leaves
  `.execute(db);
  return rows;
}

async function loadHeldUp(db: Db, { libraryId, mediaId }: MediaKey): Promise<OutlookView['heldUp']> {
  const row = await db
    .selectFrom('encode_work')
    .select(['reason', 'failures'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('state', '=', 'waiting')
    .where('reason', '<>', WAITING_FOR_SLOT)
    .orderBy('priority', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { reason: row.reason ?? '', failures: row.failures };
}
