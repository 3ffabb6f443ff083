import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { type RecordedTracks, recordingFacts } from '../../../media/live/recording/recording-facts.ts';
import type { SourceFacts } from '../../../media/probe/source-facts.ts';
import type { Db, MediaKey, Tx } from '../../db.ts';

type Row = {
  kind: 'video' | 'audio';
  codec: string;
  codecString: string;
  widthPx: number;
  heightPx: number;
  timescale: number;
  frameRate: number;
  durationSec: number;
  sizeBytes: number;
};

/**
 * Stores the facts about a recording, as a probe does for an upload. They describe the published media of its active
 * timeline.
 */
export async function writeRecordingFacts(tx: Tx, key: MediaKey): Promise<void> {
  const active = await tx
    .selectFrom('timeline')
    .select('id')
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .where('active', '=', true)
    .executeTakeFirst();
  const facts = active === undefined ? null : await readPeriodFacts(tx, key, active.id);
  if (facts === null) return;
  await tx
    .updateTable('media')
    .set({ facts: JSON.stringify(facts) })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
}

/**
 * Returns the facts about the published media of one period, or null if none of it is stored. The frame rate is that of
 * the last period, because streams store only one.
 */
export async function readPeriodFacts(
  db: Db | Tx,
  { libraryId, mediaId }: MediaKey,
  timelineId: Guid,
): Promise<SourceFacts | null> {
  const { rows } = await sql<Row>`
    select distinct on (r.kind) r.kind, r.codec, coalesce(r.codec_string, '') as "codecString",
      coalesce(r.width_px, 0) as "widthPx", coalesce(r.height_px, 0) as "heightPx", r.timescale,
      coalesce(s.frame_rate, 0) as "frameRate", (t.end_ticks::float8 / t.timescale) as "durationSec",
      (select coalesce(sum(c.size_bytes), 0) from chunk c where c.library_id = r.library_id
        and c.media_id = r.media_id and c.rendition_id = r.id)::float8 as "sizeBytes"
    from rendition r
    join timeline t on t.library_id = r.library_id and t.media_id = r.media_id and t.id = r.timeline_id
    join live_stream s on s.id = r.media_id
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and t.id = ${timelineId} and r.retired_at is null
    order by r.kind, r.origin desc, r.id`.execute(db);
  const [first] = rows;
  return first === undefined ? null : recordingFacts(toTracks(first, rows));
}

function toTracks({ durationSec }: Row, rows: readonly Row[]): RecordedTracks {
  const video = rows.find(({ kind }) => kind === 'video') ?? null;
  const audio = rows.find(({ kind }) => kind === 'audio');
  return {
    durationSec,
    sizeBytes: rows.reduce((sum, row) => sum + row.sizeBytes, 0),
    video,
    audio: audio === undefined ? null : { codec: audio.codec, sampleRateHz: audio.timescale },
  };
}
