import { expect, test } from 'vitest';
import { readCues, writeCues } from './cues.ts';

test.each([
  ['an empty line', 'Hello\n\nthere'],
  ['a line of blanks', 'Hello\n \t\nthere'],
  ['empty lines around the text', '\nHello\nthere\n\n'],
])('text with %s stays one cue', (_, text) => {
  const cues = [
    { startSec: 1, endSec: 2, text },
    { startSec: 3, endSec: 4, text: 'Bye' },
  ];
  expect(readCues(writeCues(cues)).map((cue) => cue.text)).toEqual(['Hello\nthere', 'Bye']);
});
