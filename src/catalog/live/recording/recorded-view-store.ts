import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { recordingFacts } from '../../../media/live/recording/recording-facts.ts';
import type { SourceFacts } from '../../../media/probe/source-facts.ts';
import type { CutList } from '../../../media/timeline/cut-list.ts';
import type { Db, MediaKey } from '../../db.ts';
import type { JoinedPlan } from '../../rendition-plan.ts';
import { loadCutList, loadTaskRenditions, type TaskRange, type TaskRendition } from '../../tasks/task-view-store.ts';
import { readPeriodFacts } from './recording-facts-store.ts';

/** A published rendition of a recording, from which others are encoded. */
type RecordedSource = { id: Guid; init: Buffer; timescale: number };

/**
 * Input for encoding a range of a live recording. The published video is the only source. It is null for a period
 * without video, which gets a black picture.
 */
export type RecordedView = {
  facts: SourceFacts;
  cutList: CutList;
  renditions: readonly TaskRendition[];
  source: RecordedSource | null;
  /** Number of the segment that the source's first one becomes. */
  firstSegment: number;
  /** True for one of several periods. These are read with one row per segment. */
  isOneOfSeveral: boolean;
  /** True for a rendition that joins the periods. Every frame is fitted into its size. */
  isJoined: boolean;
};

/**
 * Reads the input of an encode task for a recording. Returns null if the task is not for a recording, or the recording
 * no longer exists.
 */
export async function loadRecordedView(db: Db, task: TaskRange): Promise<RecordedView | null> {
  const renditions = await loadTaskRenditions(db, task);
  const [rendition] = renditions;
  if (rendition?.plan.joined !== undefined) {
    return loadJoinedView(db, task, { rendition, joined: rendition.plan.joined });
  }
  const sourceId = rendition?.plan.recordedOf;
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
  const source = row.kind === 'video' ? { id: sourceId, init: row.init, timescale: row.timescale } : null;
  return {
    ...{ facts, cutList, renditions, source },
    ...{ firstSegment: 0, isOneOfSeveral: row.periods > 1, isJoined: false },
  };
}

/** Reads the input of a task that joins the periods of a recording. Its segments belong to one period. */
async function loadJoinedView(
  db: Db,
  task: TaskRange,
  { rendition, joined }: { rendition: TaskRendition; joined: JoinedPlan },
): Promise<RecordedView | null> {
  const cutList = await loadCutList(db, task);
  const part = findJoinedPart(joined, task.fromSegment);
  const source = part.sourceId === null ? null : await loadJoinedSource(db, task.key, part.sourceId);
  if (cutList === null || source === undefined) return null;
  const facts = recordingFacts({
    durationSec: cutList.endTicks / cutList.timescale,
    sizeBytes: 0,
    video: {
      codec: source?.codec ?? rendition.codec,
      codecString: '',
      widthPx: rendition.widthPx ?? 0,
      heightPx: rendition.heightPx ?? 0,
      frameRate: joined.frameRate,
    },
    audio: null,
  });
  return {
    ...{ facts, cutList, renditions: [rendition], source },
    ...{ firstSegment: part.firstSegment, isOneOfSeveral: false, isJoined: true },
  };
}

/** Finds the period that contains a segment, and the number of its first segment. */
function findJoinedPart({ parts }: JoinedPlan, segment: number): { sourceId: Guid | null; firstSegment: number } {
  let firstSegment = 0;
  for (const { sourceId, segments } of parts) {
    if (segment < firstSegment + segments) return { sourceId, firstSegment };
    firstSegment += segments;
  }
  throw new Error(`Expected segment ${segment} to be one of ${firstSegment}.`);
}

/** Loads a rendition that is joined with others. Returns undefined if it no longer exists. */
export async function loadJoinedSource(
  db: Db,
  { libraryId, mediaId }: MediaKey,
  id: Guid,
): Promise<(RecordedSource & { codec: string }) | undefined> {
  const row = await db
    .selectFrom('rendition')
    .select(['id', 'codec', 'init', 'timescale'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined || row.init === null ? undefined : { ...row, init: row.init };
}
