import type { ProcessClaim } from '../../catalog/encoding/process-store.ts';
import { readLibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { Transcription } from '../speech/transcribe-video.ts';

/** The transcription that an upload, or its library, wants of a video; null for none, and for one without sound. */
export function chooseTranscription(
  { key, librarySettings, uploadOptions }: Pick<ProcessClaim, 'key' | 'librarySettings' | 'uploadOptions'>,
  { audio }: Pick<SourceFacts, 'audio'>,
): Transcription | null {
  const { transcription } = readLibrarySettings(librarySettings);
  if (audio.length === 0 || !(uploadOptions.transcribeEnabled ?? transcription.enabled)) return null;
  return { ...key, language: uploadOptions.sourceLanguage ?? null, force: false };
}
