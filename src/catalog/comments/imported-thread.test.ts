import { expect, test } from 'vitest';
import { MAX_COMMENTS } from './comment.ts';
import { readThreads } from './imported-thread.ts';

const ID = '0190163d-8694-739b-aea5-966c26f8ad91';
const SENT = { guid: ID, text: 'One', authorName: 'Ada', authorKind: 'email', dateCreated: '2024-05-06T07:08:09.123' };

test('reads a resolved comment with a reply, and ignores accounts and share pages', () => {
  const resolved = { isResolved: true, resolvedBy: 'Grace', dateResolved: '2024-05-07T00:00:00' };
  const { threads, leftOut } = readThreads([
    { ...SENT, ...resolved, time: 1.5, shareId: ID, authorId: 'x', replies: [{ ...SENT, dateEdited: '2024-05-08' }] },
  ]);
  const comment = {
    id: ID,
    text: 'One',
    authorKind: 'email',
    authorName: 'Ada',
    createdAt: '2024-05-06T07:08:09.123Z',
  };
  expect(threads).toEqual([
    {
      ...comment,
      editedAt: null,
      atMs: 1500,
      resolved: { at: '2024-05-07T00:00:00.000Z', by: 'Grace' },
      replies: [{ ...comment, editedAt: '2024-05-08T00:00:00.000Z' }],
    },
  ]);
  expect(leftOut).toBe(0);
});

test.each([
  ['an empty text', { text: ' ' }],
  ['a wrong id', { guid: 'x' }],
  ['a wrong time', { dateCreated: 'yesterday' }],
  ['no position', { time: 'start' }],
  ['a name that cannot be seen', { authorName: '\u202e' }],
])('leaves out a comment with %s', (_what, change) => {
  expect(readThreads([{ ...SENT, time: 0, ...change }])).toEqual({ threads: [], leftOut: 1 });
});

test('reads at most as many comments and replies as a video may have', () => {
  const sent = { ...SENT, time: 0, replies: [] };
  const { threads, leftOut } = readThreads(Array.from({ length: MAX_COMMENTS + 2 }, () => sent));
  expect([threads.length, leftOut]).toEqual([MAX_COMMENTS, 2]);
  expect(readThreads({ not: 'a list' })).toEqual({ threads: [], leftOut: 0 });
});
