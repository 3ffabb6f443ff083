import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { SourceFacts } from '../../../media/probe/source-facts.ts';
import type { CutList } from '../../../media/timeline/cut-list.ts';
import type { Db } from '../../db.ts';
import { loadCutList, loadTaskRenditions, type TaskRange, type TaskRendition } from '../../tasks/task-view-store.ts';
import { readPeriodFacts } from './recording-facts-store.ts';

/**
 * Input for encoding a range of a live recording. The published video is the only source. For a period without video,
 * it is the audio, and its rendition is black video.
 */
export type RecordedView = {
  facts: SourceFacts;
  cutList: CutList;
  renditions: readonly TaskRendition[];
  source: { id: Guid; kind: 'video' | 'audio'; init: Buffer; timescale: number };
  /** True for one of several periods. These are read with one row per segment. */
  isOneOfSeveral: boolean;
};

/**
 * Reads the input of an encode task for a recording. Returns null if the task is not for a recording, or the recording
 * no longer exists.
 */
export async function loadRecordedView(db: Db, task: TaskRange): Promise<RecordedView | null> {
  const renditions = await loadTaskRenditions(db, task);
  const sourceId = renditions[0]?.plan.recordedOf;
  if (sourceId === undefined) return null;
  const row = await db
    .selectFrom('rendition')
    .select(['kind', 'init', 'timescale'])
    .select(
      sql<number>`(select count(*)::int from live_period p where p.library_id = rendition.library_id
      and p.media_id = rendition.media_id and not p.is_preview)`.as('periods'),
    )
    .where('library_id', '=', task.key.libraryId)
    .where('media_id', '=', task.key.mediaId)
    .where('id', '=', sourceId)
    .executeTakeFirst();
  const [facts, cutList] = [await readPeriodFacts(db, task.key, task.timelineId), await loadCutList(db, task)];
  if (row === undefined || row.init === null || facts === null || cutList === null) return null;
  const source = { id: sourceId, kind: row.kind, init: row.init, timescale: row.timescale };
  return { facts, cutList, renditions, source, isOneOfSeveral: row.periods > 1 };
}
