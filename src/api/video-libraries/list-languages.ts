import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { VideoLanguageList } from '../models/video-library.ts';
import { NoParams } from '../read-params.ts';
import { LANGUAGES } from './languages.ts';

/**
 * The configured engine decides which languages are transcribed. Accuracy is 0, because it was not measured. The texts
 * of the player are English.
 */
export const listLanguages = defineOperation({
  name: 'listLanguages',
  method: 'GET',
  path: '/videolibrary/languages',
  description: 'Lists the languages that captions and players support.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  answer: VideoLanguageList,
  errorShape: 'core',
  async run(_, { findSpeech }: { findSpeech(): Promise<SpeechEngine | null> }) {
    const speech = await findSpeech().catch(withoutEngine);
    return LANGUAGES.map(([ShortCode, Name]) => ({
      ShortCode,
      Name,
      SupportPlayerTranslation: ShortCode === 'en',
      SupportTranscribing: speech !== null && (speech.languages?.includes(ShortCode) ?? true),
      TranscribingAccuracy: 0,
    }));
  },
});

/** If the speech model cannot be read, no language can be transcribed. A transcription request reports the problem. */
function withoutEngine(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}
