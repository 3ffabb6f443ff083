import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { requireSmartRoom } from '../../catalog/smart/smart-store.ts';
import { loadSpeechSource, mayTranscribe } from '../../catalog/speech/speech-store.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { featuresOf, sendSmart } from '../../jobs/smart/generate-smart.ts';
import { requestTranscription } from '../../jobs/speech/transcribe-video.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { TranscribeSettings } from '../models/video.ts';
import { queryFlag, queryText } from '../read-query.ts';
import { readSpokenLanguage, requireEngine, type SpeechEngine } from './spoken-language.ts';
import { VideoParams } from './video-model.ts';

/** `speech` names the languages of the configured engine (null: any); it is null where none is set. */
type Deps = { db: Db; queue: Queue; libraries: LibraryStore; speech: SpeechEngine | null };

export const transcribeVideo = defineOperation({
  name: 'transcribeVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/transcribe',
  description:
    'Makes captions of what is said, in the language that is spoken. Captions that a person uploaded stay as they are; with force, those that were made before are made anew.',
  auth: 'access-key',
  params: VideoParams,
  query: Type.Object({ force: queryFlag(false), language: queryText() }),
  body: TranscribeSettings,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'status-throughout',
  async run({ params: { libraryId, videoId }, query, body }, { db, queue, speech }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const source = await loadSpeechSource(db, key);
    const language = readSpokenLanguage(body.sourceLanguage || query.language || (body.targetLanguages?.[0] ?? ''));
    requireEngine(speech, language);
    const further = body.targetLanguages?.filter((target) => target !== language) ?? [];
    if (language !== null && further.length > 0) {
      throw new Refused(
        'invalid',
        `Captions are made in the language that is spoken, "${language}"; no translation service is set for ${further.join(', ')}. Send that language alone.`,
      );
    }
    if (source.state === 'created' || source.state === 'upload-failed') {
      throw new Refused('invalid', 'The video has no file yet. Upload it first.');
    }
    if (language === null || mayTranscribe(source.captions, language, query.force)) {
      const wanted = { ...key, language, force: query.force };
      await inTransaction(db, requestTranscription(queue, wanted));
    }
    const features = featuresOf({
      title: body.generateTitle,
      description: body.generateDescription,
      chapters: body.generateChapters,
      moments: body.generateMoments,
    });
    if (features.length > 0) {
      await inTransaction(db, async (tx) => {
        await requireSmartRoom(tx, libraryId);
        await sendSmart(tx, queue, { key, features, language, isTranscribing: true });
      });
    }
    return ok();
  },
});
