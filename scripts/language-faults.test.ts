import { expect, test } from 'vitest';
import { findLanguageFaults } from './language-faults.ts';

const comment = (text: string) => findLanguageFaults({ kind: 'comment', line: 1, text });

test.each([
  'What a claimed row gives to its worker.',
  'Returns the row. Who left says so no more.',
  'Of a database that is away the row expires.',
  'Those that are missing are made again.',
  'So much one client may cause at once.',
  'The list is read anew.',
  'An object beside its index.',
  'The lock stands until the end.',
  'Answers the number of rows.',
])('reports "%s"', (text) => {
  expect(comment(text)).toHaveLength(1);
});

test.each([
  'What happens if the caller leaves?',
  'What to do with transparent pixels.',
  'Of course the row may be gone.',
  'Those errors are transient.',
  'Besides, the index is small.',
  'PTS stands for presentation time stamp.',
  'Returns `anew`.',
  'The server answers 404.',
])('accepts "%s"', (text) => {
  expect(comment(text)).toEqual([]);
});

test('checks a title as a whole', () => {
  expect(findLanguageFaults({ kind: 'title', line: 1, text: 'whoever comes first is served' })).toHaveLength(2);
  expect(findLanguageFaults({ kind: 'title', line: 1, text: 'the first client is served' })).toEqual([]);
});

test('checks the words of messages', () => {
  const message = (text: string) => findLanguageFaults({ kind: 'message', line: 1, text });
  expect(message('Expected 5 bytes, came 4.')).toEqual(['"came": write got']);
  expect(message('The entry is no plain file.')).toHaveLength(1);
  expect(message('The upload is no longer open.')).toEqual([]);
  expect(comment('The row came from a backup.')).toEqual([]);
});
