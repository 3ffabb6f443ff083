import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { cancelSpeechRun } from '../../catalog/speech/speech-run-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { VideoParams } from './video-model.ts';

/** Not part of the hosted API. */
export const cancelTranscription = defineOperation({
  name: 'cancelTranscription',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}/transcribe',
  description:
    'Cancels the waiting or running transcription of a video. A running one stops within a few seconds. Existing ' +
    'captions are kept. If there is no transcription, nothing changes.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  answer: StatusModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db }: { db: Db }) {
    const key = { libraryId, mediaId: videoId };
    await loadSpeechSource(db, key);
    await inTransaction(db, (tx) => cancelSpeechRun(tx, key));
    return ok();
  },
});
