import { expect, test } from 'vitest';
import type { Caller } from '../../catalog/people/person.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';
import { describeSession } from './describe-session.ts';

const CALLER: Caller = { scope: 'write', libraryId: 1, keyName: 'key' };

test.each<[string, () => Promise<SpeechEngine | null>, boolean]>([
  ['is no speech engine', async () => null, false],
  ['is one speech engine', async () => ({ languages: null }), true],
  ['is a speech engine with a damaged list of models', async () => JSON.parse('{'), true],
])('a session opens if there %s', async (_, findSpeech, speech) => {
  const settings = { edgeUrl: 'http://edge', sessionDays: 1, translates: false };
  expect((await describeSession(CALLER, { ...settings, findSpeech })).engines).toEqual({ speech, translation: false });
});
