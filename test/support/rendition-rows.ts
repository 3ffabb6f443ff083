import type { Db } from '../../src/catalog/db.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';

type Owner = { library_id: number; media_id: Guid };
export type RowRendition = { rung: number | null; codec?: string; chunkBytes?: number; isActive?: boolean };

/** Adds rows of a timeline of one 4 s segment with renditions of one chunk each. The objects do not exist. */
export async function addRows(db: Db, mediaId: Guid, renditions: readonly RowRendition[]): Promise<Guid> {
  const of: Owner = { library_id: 1, media_id: mediaId };
  const timeline = newGuid();
  await db
    .insertInto('timeline')
    .values({
      ...of,
      id: timeline,
      grid: 'frames',
      timescale: 24,
      start_ticks: [0],
      end_ticks: 96,
      rate_num: 24,
      rate_den: 1,
      segment_frames: 96,
      total_frames: 96,
      active: true,
    })
    .execute();
  for (const rendition of renditions) await addRendition(db, of, { timeline, ...rendition });
  return timeline;
}

async function addRendition(db: Db, of: Owner, made: RowRendition & { timeline: Guid }): Promise<void> {
  const id = newGuid();
  const { rung, timeline, chunkBytes = 100, isActive = true } = made;
  const codec = made.codec ?? (rung === null ? 'aac' : 'h264');
  await db
    .insertInto('rendition')
    .values({
      ...of,
      id,
      timeline_id: timeline,
      kind: rung === null ? 'audio' : 'video',
      origin: 'encode',
      codec,
      rung,
      key_group: rung === null ? 'audio' : 'sd',
      state: 'finished',
      active: isActive,
      plan: JSON.stringify({ durationSec: 4 }),
      timescale: 24,
      storage_bytes: chunkBytes + 1,
    })
    .execute();
  await db
    .insertInto('chunk')
    .values({
      ...of,
      rendition_id: id,
      first_segment: 0,
      segment_count: 1,
      attempt: 1,
      revision: 1,
      storage_key: `1/${of.media_id}/${id}/0-1.cmaf` as StorageKey,
      size_bytes: chunkBytes,
      idx_bytes: 1,
      sha256: Buffer.alloc(32),
      start_tick: 0,
      duration_ticks: 96,
      fragment_table: Buffer.alloc(12),
      samples: 96,
      cts_runs: 1,
      sync_count: 1,
      peak_segment_bps: 1,
    })
    .execute();
}
