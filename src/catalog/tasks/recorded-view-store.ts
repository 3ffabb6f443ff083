import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Db } from '../db.ts';
import { loadCutList, loadTaskRenditions, type TaskPlace, type TaskRendition } from './task-view-store.ts';

/** What encoding a range of a live recording takes: it has no original, but the pictures that were published. */
export type RecordedView = {
  facts: SourceFacts;
  cutList: CutList;
  renditions: readonly TaskRendition[];
  source: { id: Guid; init: Buffer; timescale: number };
};

/** Reads what an encode task of a recording is about; null when it is of none, or gone. */
export async function loadRecordedView(db: Db, task: TaskPlace): Promise<RecordedView | null> {
  const renditions = await loadTaskRenditions(db, task);
  const sourceId = renditions[0]?.plan.recordedOf;
  if (sourceId === undefined) return null;
  const row = await db
    .selectFrom('rendition')
    .innerJoin('media', (join) =>
      join.onRef('media.library_id', '=', 'rendition.library_id').onRef('media.id', '=', 'rendition.media_id'),
    )
    .select(['media.facts', 'rendition.init', 'rendition.timescale'])
    .where('rendition.library_id', '=', task.key.libraryId)
    .where('rendition.media_id', '=', task.key.mediaId)
    .where('rendition.id', '=', sourceId)
    .executeTakeFirst();
  const cutList = await loadCutList(db, task);
  if (row?.facts == null || row.init === null || cutList === null) return null;
  return { facts: row.facts, cutList, renditions, source: { id: sourceId, init: row.init, timescale: row.timescale } };
}
