import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { VideoLanguageList } from '../models/video-library.ts';
import { NoParams } from '../read-params.ts';
import { LANGUAGES } from './languages.ts';

/**
 * The configured engine decides which languages are transcribed. Accuracy was not measured, so it is 0; the player's
 * own texts are English.
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

/** A model that cannot be read transcribes nothing. A transcription request reports the fault. */
function withoutEngine(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}
