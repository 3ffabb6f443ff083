import { readCaptionLanguage } from '../../catalog/captions/caption.ts';
import type { CaptionStore } from '../../catalog/captions/caption-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { NoQuery } from '../read-query.ts';
import { CaptionParams } from './add-caption.ts';

export const deleteCaption = defineOperation({
  name: 'deleteCaption',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}/captions/{srclang}',
  description: 'Deletes the captions of a language.',
  auth: 'access-key',
  params: CaptionParams,
  query: NoQuery,
  body: null,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'empty',
  async run({ params: { libraryId, videoId, srclang } }, { captions }: { captions: CaptionStore }) {
    await captions.remove({ libraryId, mediaId: videoId }, readCaptionLanguage(srclang));
    return ok();
  },
});
