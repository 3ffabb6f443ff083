import { readLibrarySettings } from '../../catalog/libraries/library-settings.ts';
import type { ProcessClaim } from '../../catalog/lifecycle/process-store.ts';
import type { SmartFeature } from '../../catalog/smart/smart-schema.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import { featuresOf } from '../smart/generate-smart.ts';
import type { Transcription } from '../speech/transcribe-video.ts';

/** Languages that captions of one upload are made in. */
const MOST_TARGETS = 60;

/** The transcription of a video by its upload or its library; null for none, and for one without audio. */
export function chooseTranscription(
  { key, librarySettings, uploadOptions }: Pick<ProcessClaim, 'key' | 'librarySettings' | 'uploadOptions'>,
  { audio }: Pick<SourceFacts, 'audio'>,
): Transcription | null {
  const { transcription } = readLibrarySettings(librarySettings);
  if (audio.length === 0 || !(uploadOptions.transcribeEnabled ?? transcription.enabled)) return null;
  const language = spokenLanguage(uploadOptions);
  const languages = uploadOptions.transcribeLanguages ?? transcription.languages.map((each) => each.toLowerCase());
  const targets = [...new Set(languages)].filter((each) => /^[a-z]{2}$/.test(each) && each !== language);
  return { ...key, language, force: false, targets: targets.slice(0, MOST_TARGETS) };
}

/** The language that an upload names (ISO 639-1), also by a region's tag; null for what is none. */
export function spokenLanguage({ sourceLanguage = '' }: ProcessClaim['uploadOptions']): string | null {
  return /^([a-z]{2})(?:[-_].*)?$/.exec(sourceLanguage.toLowerCase())?.[1] ?? null;
}

/**
 * What is generated of an upload: what it requests itself, and what its library generates of all that is transcribed.
 * Chapters that the file brings stay.
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
