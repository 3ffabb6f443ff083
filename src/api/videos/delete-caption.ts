import { readCaptionLanguage } from '../../catalog/captions/caption.ts';
import type { CaptionStore } from '../../catalog/captions/caption-store.ts';
import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { indexCaptions } from '../../jobs/speech/index-captions.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { CaptionParams } from './add-caption.ts';

type Deps = { captions: CaptionStore; db: Db; queue: Queue };

export const deleteCaption = defineOperation({
  name: 'deleteCaption',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}/captions/{srclang}',
  description: 'Deletes the captions of a language.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CaptionParams,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'empty',
  async run({ params: { libraryId, videoId, srclang } }, { captions, db, queue }: Deps) {
    await captions.remove({ libraryId, mediaId: videoId }, readCaptionLanguage(srclang));
    // If this fails, the captions stay in the search for up to a minute.
    await inTransaction(db, queue.send(indexCaptions, {}, { onlyOneNamed: 'now' }));
    return ok();
  },
});
