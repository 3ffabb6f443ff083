import { readLibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { ProcessClaim } from '../../catalog/lifecycle/process-store.ts';
import type { SmartFeature } from '../../catalog/smart/smart-schema.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import { featuresOf } from '../smart/generate-smart.ts';
import type { Transcription } from '../speech/transcribe-video.ts';

/** Maximum number of caption languages of one upload. */
const MAX_TARGETS = 60;

/**
 * Returns the transcription settings of a video from its upload or its library. Returns null if none is requested or
 * the video has no audio.
 */
export function chooseTranscription(
  { key, librarySettings, uploadOptions }: Pick<ProcessClaim, 'key' | 'librarySettings' | 'uploadOptions'>,
  { audio }: Pick<SourceFacts, 'audio'>,
): Transcription | null {
  const { transcription } = readLibrarySettings(librarySettings);
  if (audio.length === 0 || !(uploadOptions.transcribeEnabled ?? transcription.enabled)) return null;
  const language = spokenLanguage(uploadOptions);
  const languages = uploadOptions.transcribeLanguages ?? transcription.languages.map((each) => each.toLowerCase());
  const targets = [...new Set(languages)].filter((each) => /^[a-z]{2}$/.test(each) && each !== language);
  return { ...key, language, force: false, targets: targets.slice(0, MAX_TARGETS) };
}

/**
 * Returns the spoken language that an upload specifies (ISO 639-1), without its region. Returns null for other values.
 */
export function spokenLanguage({ sourceLanguage = '' }: ProcessClaim['uploadOptions']): string | null {
  return /^([a-z]{2})(?:[-_].*)?$/.exec(sourceLanguage.toLowerCase())?.[1] ?? null;
}

/**
 * Returns the features to generate for an upload: those that the upload requests, and those that the library generates
 * for all transcribed videos. Does not generate chapters if the file contains chapters.
 */
export function chooseFeatures(
  { librarySettings, uploadOptions }: Pick<ProcessClaim, 'librarySettings' | 'uploadOptions'>,
  { audio, chapters }: Pick<SourceFacts, 'audio' | 'chapters'>,
): SmartFeature[] {
  const { transcription } = readLibrarySettings(librarySettings);
  const isTranscribed = uploadOptions.transcribeEnabled ?? transcription.enabled;
  const chosen = (own: boolean | undefined, usual: boolean) => own ?? (isTranscribed && usual);
  if (audio.length === 0) return [];
  return featuresOf({
    title: chosen(uploadOptions.generateTitle, transcription.generateTitle),
    description: chosen(uploadOptions.generateDescription, transcription.generateDescription),
    chapters: chosen(uploadOptions.generateChapters, transcription.generateChapters && (chapters ?? []).length === 0),
    moments: chosen(uploadOptions.generateMoments, transcription.generateMoments),
  });
}
