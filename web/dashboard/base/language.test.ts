import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseLanguage, saidRefusal } from './language.ts';

beforeEach(() => {
  Object.assign(globalThis, { document: { documentElement: {} } });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'document');
});

const GENERAL = 'You have no permission for this.';

test('translates a refusal, or its kind with the English message', async () => {
  await chooseLanguage('de');
  expect(saidRefusal('Library 7 not found. Check the id.', GENERAL)).toBe(
    'Bibliothek 7 gibt es nicht. Vielleicht wurde sie gelöscht.',
  );
  expect(saidRefusal('Quite another thing.', GENERAL)).toBe('Dafür hast du keine Rechte. (Quite another thing.)');
  await chooseLanguage('en');
  expect(saidRefusal('Quite another thing.', GENERAL)).toBe('Quite another thing.');
});
