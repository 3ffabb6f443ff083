import { expect, test } from 'vitest';
import { readCommentText, readGuestName } from './comment.ts';

test.each(['', '  ', '\u200b', '\u2060\u200d'])('refuses the invisible text %j', (text) => {
  expect(() => readCommentText(text)).toThrow('Expected text to have 1 to');
  expect(() => readGuestName(text)).toThrow('Expected name to have 1 to');
});

test.each(['A', '7', '?', '👍', '好'])('accepts %s', (text) => {
  expect([readCommentText(text), readGuestName(text)]).toEqual([text, text]);
});
