import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { VideoLanguageList } from '../models/video-library.ts';
import { NoParams } from '../read-params.ts';
import { LANGUAGES } from './languages.ts';

/**
 * What is transcribed is what the configured engine supports. No accuracy was measured, which is 0; the player's own
 * words are English.
 */
export const listLanguages = defineOperation({
  name: 'listLanguages',
  method: 'GET',
  path: '/videolibrary/languages',
  description: 'Lists the languages that captions and players can be in.',
  auth: 'account-key',
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

/**
 * A model that cannot be read transcribes nothing; what is wrong with it is in the answer to a request to transcribe.
 */
function withoutEngine(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}
