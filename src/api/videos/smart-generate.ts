import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { requireSmartRoom } from '../../catalog/smart/smart-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { featuresOf, sendSmart } from '../../jobs/smart/generate-smart.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { StatusModel } from '../models/status.ts';
import { SmartGenerateModel } from '../models/video.ts';
import { readSpokenLanguage, requireEngine } from './spoken-language.ts';
import { VideoParams } from './video-model.ts';

type Deps = { db: Db; queue: Queue; libraries: LibraryStore; findSpeech(): Promise<SpeechEngine | null> };

export const smartGenerate = defineOperation({
  name: 'smartGenerate',
  summary: 'Generate texts from speech',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/smart',
  description:
    'Generates title, description, chapters and moments from the speech of a video. A video without captions is ' +
    "transcribed first. Without a body, it generates the texts that the library's settings select. It does not " +
    'overwrite texts that a person has set since the last generation.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  body: SmartGenerateModel,
  bodyPresence: 'optional',
  answer: StatusModel,
  answerStatus: 202,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404, busy: 429 },
  async run({ params: { libraryId, videoId }, body }, { db, queue, libraries, findSpeech }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const source = await loadSpeechSource(db, key);
    const language = readSpokenLanguage(body.sourceLanguage ?? '');
    if (source.state === 'created' || source.state === 'upload-failed') {
      throw new Refused('invalid', 'The video has no file yet. Upload it first.');
    }
    if (source.captions.length === 0) requireEngine(await findSpeech(), language);
    const library = await libraries.recall(libraryId);
    const { transcription } = library?.settings ?? {};
    const isPlain = [body.generateTitle, body.generateDescription, body.generateChapters, body.generateMoments].every(
      (flag) => flag == null,
    );
    const chosen = isPlain && transcription !== undefined ? transcription : body;
    const features = featuresOf({
      title: chosen.generateTitle,
      description: chosen.generateDescription,
      chapters: chosen.generateChapters,
      moments: chosen.generateMoments,
    });
    if (features.length === 0) {
      throw new Refused(
        'invalid',
        'Expected generateTitle, generateDescription, generateChapters or generateMoments to be true. Send one of ' +
          'them.',
      );
    }
    await inTransaction(db, async (tx) => {
      await requireSmartRoom(tx, libraryId);
      await sendSmart(tx, queue, { key, features, language });
    });
    return { success: true, message: 'OK', statusCode: 202 };
  },
});
