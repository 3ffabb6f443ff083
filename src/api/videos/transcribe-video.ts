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
import { guarded } from '../models/fields.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { StatusModel } from '../models/status.ts';
import { TranscribeSettings } from '../models/video.ts';
import { queryFlag, queryText } from '../read-query.ts';
import { readSpokenLanguage, requireEngine } from './spoken-language.ts';
import { VideoParams } from './video-model.ts';

type Deps = {
  db: Db;
  queue: Queue;
  libraries: LibraryStore;
  findSpeech(): Promise<SpeechEngine | null>;
  translates: boolean;
};

export const transcribeVideo = defineOperation({
  name: 'transcribeVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/transcribe',
  description:
    'Creates captions from the speech of a video in the spoken language. If a language model is configured, it ' +
    'also translates them into the target languages. Captions that a person uploaded are kept. With `force`, it ' +
    'replaces generated captions.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ force: guarded('destroys', queryFlag(false)), language: queryText() }),
  body: TranscribeSettings,
  bodyPresence: 'optional',
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'status-throughout',
  async run({ params: { libraryId, videoId }, query, body }, { db, queue, findSpeech, translates }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const source = await loadSpeechSource(db, key);
    const { language, targets } = readLanguages(body, query.language, translates);
    requireEngine(await findSpeech(), language);
    if (source.state === 'created' || source.state === 'upload-failed') {
      throw new Refused('invalid', 'The video has no file yet. Upload it first.');
    }
    if (language === null || targets.length > 0 || mayTranscribe(source.captions, language, query.force)) {
      const wanted = { ...key, language, force: query.force, targets };
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

/** Without a language model, the only target is the spoken language; other targets are refused. */
function readLanguages(
  { sourceLanguage, targetLanguages }: TranscribeSettings,
  requested: string,
  translates: boolean,
): { language: string | null; targets: string[] } {
  const wanted = [...new Set((targetLanguages ?? []).map(readSpokenLanguage))].filter((each) => each !== null);
  const named = readSpokenLanguage(sourceLanguage || requested);
  const language = named ?? (translates ? null : (wanted[0] ?? null));
  const targets = wanted.filter((target) => target !== language);
  if (translates || targets.length === 0) return { language, targets };
  throw new Refused(
    'invalid',
    `Captions are generated in the spoken language, "${language}". A translation into ${targets.join(', ')} ` +
      'needs a language model: set MILLRACE_LANGUAGE_MODEL_URL, or send that language alone.',
  );
}
