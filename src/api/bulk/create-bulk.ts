import type { BulkSelection, BulkStore } from '../../catalog/bulk/bulk-store.ts';
import { isFiltered } from '../../catalog/videos/video-search-store.ts';
import type { Visibility } from '../../catalog/visibility.ts';
import { runBulk } from '../../jobs/housekeeping/run-bulk.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import { NO_ENGINE } from '../../ports/transcriber.ts';
import { defineOperation } from '../define-operation.ts';
import { misfit } from '../misfit.ts';
import { BulkModel, CreateBulkModel } from '../models/bulk.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { readStates } from '../models/video-status.ts';
import { LibraryParams } from '../read-params.ts';
import { requireOrder } from '../read-query.ts';
import { toBulkModel } from './bulk-model.ts';

type Deps = { bulks: BulkStore; queue: Queue; findSpeech(): Promise<SpeechEngine | null> };

/** Not part of the hosted API: one operation over many videos, which runs in the background. */
export const createBulk = defineOperation({
  name: 'createBulk',
  summary: 'Start a bulk operation',
  method: 'POST',
  path: '/library/{libraryId}/bulk',
  description:
    'Starts a background operation on many videos: move, set the visibility, trash, restore, ' +
    'delete, re-encode, retry, cancel or transcribe. ' +
    'Select the videos by `videoIds`, by a `filter`, by `undoOf` (the videos of an earlier operation), or by ' +
    '`"all": true`. The report lists each video that failed and the reason.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  body: CreateBulkModel,
  answer: BulkModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId }, body }, { bulks, queue, findSpeech }: Deps) {
    if (body.action === 'transcribe' && (await findSpeech()) === null) throw new Refused('invalid', NO_ENGINE);
    const wanted = {
      libraryId,
      kind: body.action,
      collectionId: readTarget(body),
      visibility: readTargetVisibility(body),
      selection: readSelection(libraryId, body),
    };
    const key = await bulks.create(wanted, (made) => queue.send(runBulk, made));
    return toBulkModel(await bulks.load(key));
  },
});

/** Returns the target collection of a move, or null. */
function readTarget({ action, collectionId }: CreateBulkModel): Guid | null {
  if (action === 'move' && collectionId == null) {
    throw misfit('collectionId', 'Expected collectionId with move, got none. Send the GUID of a collection, or "".');
  }
  if (action !== 'move' && collectionId != null && collectionId !== '') {
    const words = `Expected no collectionId with ${action}, got ${quote(collectionId)}.`;
    throw misfit('collectionId', `${words} Send it as filter.collection to choose the videos of a collection.`);
  }
  return collectionId == null || collectionId === '' ? null : readId(collectionId, 'collectionId');
}

/** Returns the visibility to set, or null for another action. */
function readTargetVisibility({ action, visibility = null }: CreateBulkModel): Visibility | null {
  if (action === 'visibility' && visibility === null) {
    throw misfit('visibility', 'Expected visibility with this action, got none. Send public, unlisted or private.');
  }
  if (action === 'visibility' || visibility === null) return visibility;
  const words = `Expected no visibility with ${action}, got ${quote(visibility)}.`;
  throw misfit('visibility', `${words} Send it as filter.visibility to choose the videos that have it.`);
}

/** Reads the selected videos. A request without a selection is refused instead of selecting all videos. */
function readSelection(libraryId: number, { videoIds, filter, undoOf, all }: CreateBulkModel): BulkSelection {
  const given = [videoIds, filter, undoOf ?? undefined, all === true ? all : undefined];
  if (given.filter((each) => each !== undefined).length !== 1) {
    throw misfit('filter', 'Expected exactly one of videoIds, filter, undoOf and "all": true. Send only one of them.');
  }
  if (videoIds !== undefined) return { by: 'ids', ids: videoIds.map((id) => readId(id, 'videoIds')) };
  if (undoOf != null) return { by: 'operation', bulkId: readId(undoOf, 'undoOf') };
  const chosen = readFilter(filter ?? {});
  if (all !== true && !isNarrowed(chosen)) {
    throw misfit(
      'filter',
      'Expected a filter with at least one value, got none. Send a value, or "all": true instead of the filter.',
    );
  }
  return { by: 'filter', filter: { ...chosen, libraryId, orderBy: 'date', isReversed: false } };
}

type Filter = Omit<Extract<BulkSelection, { by: 'filter' }>['filter'], 'libraryId' | 'orderBy' | 'isReversed'>;

function readFilter(sent: NonNullable<CreateBulkModel['filter']>): Filter {
  requireOrder({ dateFrom: sent.dateFrom ?? '', dateTo: sent.dateTo ?? '' }, 'dateFrom', 'dateTo');
  const { search = '', collection = '', status = '', tag = '', incomplete = false, dateFrom, dateTo } = sent;
  const { visibility = null } = sent;
  return {
    search,
    collection: collection === '' ? null : readId(collection, 'filter.collection'),
    states: readStates(status),
    tag,
    visibility,
    madeFrom: dateFrom == null ? null : readDate(dateFrom, 'filter.dateFrom'),
    madeBefore: dateTo == null ? null : readDate(dateTo, 'filter.dateTo'),
    isIncomplete: incomplete,
  };
}

function isNarrowed(filter: Filter): boolean {
  return filter.search !== '' || filter.collection !== null || isFiltered(filter);
}

function readDate(text: string, field: string): Date {
  const time = readTime(text);
  if (time !== null) return time;
  throw misfit(
    field,
    `Expected ${field} as a date and time, got ${quote(text)}. Send a date such as 2026-11-22T18:00:00Z.`,
  );
}

function readId(text: string, field: string): Guid {
  const id = readGuid(text);
  if (id !== null) return id;
  throw misfit(field, `Expected ${field} to contain GUIDs, got ${quote(text)}. Send only GUIDs.`);
}
