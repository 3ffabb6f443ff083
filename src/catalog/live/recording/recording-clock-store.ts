import { sql } from 'kysely';
import { type WallAnchor, wallAnchors } from '../../../media/live/recording/wall-anchors.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';

type Row = { number: number; timescale: number; segments: { startTick: number; wallMs: number }[] };

/** Stores the capture times of a recording's media, because merged chunks lose them. */
export async function writeClocks(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const { rows } = await sql<Row>`
    with main as (
      select distinct on (p.number) p.number, r.id, r.timescale
      from live_period p join rendition r on r.library_id = p.library_id and r.media_id = p.media_id
        and r.timeline_id = p.timeline_id
      where p.library_id = ${libraryId} and p.media_id = ${mediaId} and not p.is_preview
      order by p.number, r.kind desc, r.origin desc, r.id)
    select m.number, m.timescale,
      jsonb_agg(jsonb_build_object('startTick', c.start_tick, 'wallMs', c.wall_ms) order by c.first_segment) as segments
    from main m join chunk c on c.library_id = ${libraryId} and c.media_id = ${mediaId} and c.rendition_id = m.id
    where c.wall_ms is not null group by m.number, m.timescale`.execute(tx);
  for (const { number, timescale, segments } of rows) {
    await tx
      .updateTable('live_period')
      .set({ clock: JSON.stringify(wallAnchors(segments, timescale)) })
      .where('library_id', '=', libraryId)
      .where('media_id', '=', mediaId)
      .where('number', '=', number)
      .execute();
  }
}

/**
 * Returns the number of a recording's periods that viewers see. If there is only one, also returns its capture times.
 */
export async function loadClock(
  db: Db,
  { libraryId, mediaId }: MediaKey,
): Promise<{ periods: number; clock: readonly WallAnchor[] | null }> {
  const rows = await db
    .selectFrom('live_period')
    .select('clock')
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('is_preview', '=', false)
    .execute();
  return { periods: rows.length, clock: rows.length === 1 ? (rows[0]?.clock ?? null) : null };
}
