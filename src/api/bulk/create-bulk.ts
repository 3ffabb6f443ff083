import type { BulkSelection, BulkStore } from '../../catalog/bulk/bulk-store.ts';
import { runBulk } from '../../jobs/housekeeping/run-bulk.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { NO_ENGINE } from '../../ports/transcriber.ts';
import { defineOperation } from '../define-operation.ts';
import { BulkModel, CreateBulkModel } from '../models/bulk.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { readStates } from '../models/video-status.ts';
import { LibraryParams } from '../read-params.ts';
import { toBulkModel } from './bulk-model.ts';

type Deps = { bulks: BulkStore; queue: Queue; findSpeech(): Promise<SpeechEngine | null> };

/** An extension of the interface: one operation over many videos, done in the background. */
export const createBulk = defineOperation({
  name: 'createBulk',
  method: 'POST',
  path: '/library/{libraryId}/bulk',
  description:
    'Moves, trashes, restores, deletes, re-encodes, retries or transcribes many videos in the background: those ' +
    'named, all that match a filter, or those of an earlier operation, which `restore` undoes. The report names ' +
    'each that could not be done.',
  auth: 'access-key',
  params: LibraryParams,
  body: CreateBulkModel,
  answer: BulkModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId }, body }, { bulks, queue, findSpeech }: Deps) {
    if (body.action === 'transcribe' && (await findSpeech()) === null) throw new Refused('invalid', NO_ENGINE);
    const wanted = {
      libraryId,
      kind: body.action,
      collectionId: body.collectionId == null || body.collectionId === '' ? null : readGuid(body.collectionId),
      selection: readSelection(libraryId, body),
    };
    const key = await bulks.create(wanted, (made) => queue.send(runBulk, made));
    return toBulkModel(await bulks.load(key));
  },
});

function readSelection(libraryId: number, { videoIds, filter, undoOf }: CreateBulkModel): BulkSelection {
  const given = [videoIds, filter, undoOf ?? undefined].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new Refused(
      'invalid',
      'Expected exactly one of videoIds, filter and undoOf. Send the one that says which videos.',
    );
  }
  if (videoIds !== undefined) return { by: 'ids', ids: videoIds.map(readGuid) };
  if (filter === undefined) return { by: 'operation', bulkId: readGuid(undoOf ?? '') };
  const { search = '', collection = '', status = '', tag = '', incomplete = false, dateFrom, dateTo } = filter;
  return {
    by: 'filter',
    filter: {
      libraryId,
      search,
      collection: collection === '' ? null : readGuid(collection),
      states: readStates(status),
      tag,
      madeFrom: dateFrom == null ? null : readTime(dateFrom),
      madeBefore: dateTo == null ? null : readTime(dateTo),
      isIncomplete: incomplete,
      orderBy: 'date',
      isReversed: false,
    },
  };
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Refused('invalid', `Expected a date, got ${quote(text)}. Correct it.`);
}

function readGuid(text: string): Guid {
  const id = parseGuid(text);
  if (id === null) throw new Refused('invalid', `Expected a GUID, got ${quote(text)}. Correct it.`);
  return id;
}
