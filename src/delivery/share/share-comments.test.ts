import { expect, test } from 'vitest';
import type { Thread } from '../../catalog/comments/comment.ts';
import { newGuid } from '../../lib/guid.ts';
import { createShareComments } from './share-comments.ts';

const key = { libraryId: 1, mediaId: newGuid(), shareId: newGuid() };

function thread(text: string): Thread {
  const author = { kind: 'guest', id: '', name: 'Ada' } as const;
  const of = { id: newGuid(), parentId: null, shareId: key.shareId, resolved: null, editedAt: null, replies: [] };
  return { ...of, text, author, atMs: 1_000, createdAt: new Date(0) };
}

test('requests share the written list and its entity tag until a comment is added', async () => {
  const threads = [thread('First.')];
  const comments = createShareComments({
    list: async () => [...threads],
    add: async (_key, { text }) => {
      threads.push(thread(text));
      return thread(text);
    },
  });
  const first = await comments.list(key);
  expect(await comments.list(key)).toBe(first);
  const author = { kind: 'guest', id: '', name: 'Ada' } as const;
  await comments.add(key, { text: 'Second.', author, place: { atMs: 0 } });
  const second = await comments.list(key);
  expect(second.etag).not.toBe(first.etag);
  expect(second.etag).toMatch(/^"[\w-]{43}"$/);
  expect(JSON.parse(second.bytes.toString()).comments).toHaveLength(2);
});
