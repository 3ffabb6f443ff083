import { expect, test } from 'vitest';
import type { UploadOptions } from '../../catalog/schema.ts';
import { newGuid } from '../../lib/guid.ts';
import type { AudioFacts } from '../../media/probe/source-facts.ts';
import { chooseFeatures, chooseTranscription } from './choose-transcription.ts';

const SOUND: AudioFacts = {
  streamIndex: 1,
  codec: 'aac',
  channels: 1,
  sampleRateHz: 48_000,
  language: 'und',
  title: null,
  startSec: 0,
  durationSec: 10,
};
const LIBRARY = {
  transcription: { enabled: true, languages: ['en', 'DE'], generateTitle: true, generateChapters: true },
};

function choose(librarySettings: Record<string, unknown>, uploadOptions: UploadOptions, audio = [SOUND]) {
  const claim = { key: { libraryId: 1, mediaId: newGuid() }, librarySettings, uploadOptions };
  const transcription = chooseTranscription(claim, { audio });
  const chapters = [{ title: 'Brought', startSec: 0, endSec: 10 }];
  return {
    spoken: transcription && { language: transcription.language, targets: transcription.targets },
    features: chooseFeatures(claim, { audio }),
    withChapters: chooseFeatures(claim, { audio, chapters }),
  };
}

const BOTH = ['title', 'chapters'];

test.each<{ what: string; library: object; upload: UploadOptions; expected: object }>([
  {
    what: 'without settings nothing is generated',
    library: {},
    upload: {},
    expected: { spoken: null, features: [], withChapters: [] },
  },
  {
    what: 'the library settings apply by default, except for chapters embedded in the file',
    library: LIBRARY,
    upload: {},
    expected: { spoken: { language: null, targets: ['en', 'de'] }, features: BOTH, withChapters: ['title'] },
  },
  {
    what: 'settings of the upload take precedence',
    library: LIBRARY,
    upload: { transcribeEnabled: false, generateMoments: true },
    expected: { spoken: null, features: ['moments'], withChapters: ['moments'] },
  },
  {
    what: 'the spoken language is not a translation target',
    library: {},
    upload: { transcribeEnabled: true, sourceLanguage: 'en-GB', transcribeLanguages: ['en', 'fr'] },
    expected: { spoken: { language: 'en', targets: ['fr'] }, features: [], withChapters: [] },
  },
])('chooses the transcription: $what', ({ library, upload, expected }) => {
  expect(choose({ ...library }, upload)).toEqual(expected);
});

test('does not transcribe a video without audio', () => {
  expect(choose(LIBRARY, { transcribeEnabled: true }, [])).toEqual({ spoken: null, features: [], withChapters: [] });
});
