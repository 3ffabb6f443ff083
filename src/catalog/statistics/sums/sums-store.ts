import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Tx } from '../../db.ts';
import type { DayGain, HourGain, SketchGain } from './statistics-gain.ts';
import { dateText } from './statistics-range.ts';
import { addToSketch } from './viewer-sketch.ts';
import { WHOLE_LIBRARY } from './whole-library.ts';

/** Adds to the hourly sums of videos and of their libraries. */
export async function addToHours(tx: Tx, hours: readonly HourGain[]): Promise<void> {
  if (hours.length === 0) return;
  const gains = JSON.stringify(hours.map((gain) => ({ ...gain, hour: new Date(gain.hourMs).toISOString() })));
  const sent = sql`jsonb_to_recordset(${gains}::jsonb) as gain ("libraryId" bigint, "mediaId" uuid, hour timestamptz,
    country text, views bigint, "watchSec" bigint, "estimatedViews" bigint, "estimatedWatchSec" bigint)`;
  const added = sql`views = held.views + excluded.views, watch_sec = held.watch_sec + excluded.watch_sec,
    estimated_views = held.estimated_views + excluded.estimated_views,
    estimated_watch_sec = held.estimated_watch_sec + excluded.estimated_watch_sec`;
  await sql`
    insert into stat_hour as held
      (library_id, media_id, hour, country, views, watch_sec, estimated_views, estimated_watch_sec)
    select "libraryId", "mediaId", hour, country, views, "watchSec", "estimatedViews", "estimatedWatchSec"
    from ${sent} order by 1, 2, 3, 4
    on conflict (library_id, media_id, hour, country) do update set ${added}`.execute(tx);
  await sql`
    insert into stat_library_hour as held
      (library_id, hour, country, views, watch_sec, estimated_views, estimated_watch_sec)
    select "libraryId", hour, country, sum(views), sum("watchSec"), sum("estimatedViews"), sum("estimatedWatchSec")
    from ${sent} group by 1, 2, 3 order by 1, 2, 3
    on conflict (library_id, hour, country) do update set ${added}`.execute(tx);
}

/** Adds to the totals in each video's row. */
export async function addToMedia(tx: Tx, hours: readonly HourGain[]): Promise<void> {
  if (hours.length === 0) return;
  await sql`
    update media set views = media.views + gain.views, watch_sec_total = media.watch_sec_total + gain.watch_sec
    from (select "libraryId" as library_id, "mediaId" as media_id, sum(views) as views, sum("watchSec") as watch_sec
      from jsonb_to_recordset(${JSON.stringify(hours)}::jsonb)
        as gain ("libraryId" bigint, "mediaId" uuid, views bigint, "watchSec" bigint)
      group by 1, 2) gain
    where media.library_id = gain.library_id and media.id = gain.media_id
      and (gain.views <> 0 or gain.watch_sec <> 0)`.execute(tx);
}

/** Adds to the daily audience data of videos and of their libraries. */
export async function addToDays(tx: Tx, days: readonly DayGain[]): Promise<void> {
  if (days.length === 0) return;
  const sent = days.map((gain) => ({ ...gain, day: dateText(gain.dayMs) }));
  const all = [...sent, ...sent.map((gain) => ({ ...gain, mediaId: WHOLE_LIBRARY }))];
  await sql`
    insert into stat_day as held (library_id, media_id, day, kind, value, sessions, amount)
    select "libraryId", "mediaId", day, kind, value, sum(sessions), sum(amount)
    from jsonb_to_recordset(${JSON.stringify(all)}::jsonb) as gain ("libraryId" bigint, "mediaId" uuid, day date,
      kind text, value text, sessions bigint, amount bigint)
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (library_id, media_id, day, kind, value)
    do update set sessions = held.sessions + excluded.sessions, amount = held.amount + excluded.amount`.execute(tx);
}

type Sketch = { library_id: number; media_id: Guid; day: string; registers: string };

/** Adds viewers to the day's sketches of videos and of their libraries. Idempotent. */
export async function addToSketches(tx: Tx, gains: readonly SketchGain[]): Promise<void> {
  if (gains.length === 0) return;
  const points = new Map<string, SketchGain>();
  for (const gain of [...gains, ...gains.map((one) => ({ ...one, mediaId: WHOLE_LIBRARY }))]) {
    const key = sketchKey(gain.libraryId, gain.mediaId, dateText(gain.dayMs));
    const known = points.get(key);
    points.set(key, { ...gain, points: [...(known?.points ?? []), ...gain.points] });
  }
  const keys = JSON.stringify(
    [...points.values()].map((gain) => ({
      library_id: gain.libraryId,
      media_id: gain.mediaId,
      day: dateText(gain.dayMs),
    })),
  );
  const sent = sql`jsonb_to_recordset(${keys}::jsonb) as sent (library_id bigint, media_id uuid, day date)`;
  await sql`insert into viewer_sketch (library_id, media_id, day, registers)
    select library_id, media_id, day, '' from ${sent} order by 1, 2, 3 on conflict do nothing`.execute(tx);
  const { rows } = await sql<Omit<Sketch, 'registers'> & { registers: Buffer }>`
    select held.library_id, held.media_id, held.day::text as day, held.registers
    from viewer_sketch held join ${sent} using (library_id, media_id, day)
    order by 1, 2, 3 for update of held`.execute(tx);
  const changed = rows.flatMap(({ registers, ...row }): Sketch[] => {
    const after = addToSketch(registers, points.get(sketchKey(row.library_id, row.media_id, row.day))?.points ?? []);
    return after.equals(registers) ? [] : [{ ...row, registers: after.toString('base64') }];
  });
  if (changed.length === 0) return;
  await sql`
    update viewer_sketch held set registers = decode(sent.registers, 'base64')
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      as sent (library_id bigint, media_id uuid, day date, registers text)
    where held.library_id = sent.library_id and held.media_id = sent.media_id and held.day = sent.day`.execute(tx);
}

function sketchKey(libraryId: number, mediaId: Guid, day: string): string {
  return `${libraryId}/${mediaId}/${day}`;
}
