import { createHash } from 'node:crypto';
import type { Comment, Thread } from '../../catalog/comments/comment.ts';
import type { ShareCommentKey, ShareCommentStore } from '../../catalog/comments/share-comment-store.ts';
import { parseGuid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import { createShareLimit } from './share-limit.ts';

const WINDOW_MS = 15 * 60_000;
/** Maximum number of comments from one IP address, which may be shared by a whole office. */
const CLIENT_RATE = { max: 30, windowMs: WINDOW_MS };
/** Maximum number of comments of one share from all addresses. */
const SHARE_RATE = { max: 200, windowMs: WINDOW_MS };
/** Maximum age of a list, in ms. */
const TTL_MS = 2_000;
const CACHE_BYTES = 16 * 2 ** 20;
const MAX_LOADS = 50;

/** A list of comments as JSON, with its entity tag. */
type WrittenList = { bytes: Buffer; etag: string };

/** Reads and writes the comments of share pages, within limits. */
export type ShareComments = {
  /** Returns the list, at most 2 s old. While the database is down, the last known list applies. */
  list(key: ShareCommentKey): Promise<WrittenList>;
  /** Whether the list can be returned without a query. */
  isKnown(key: ShareCommentKey): boolean;
  /** Counts a comment. Returns false if the client or the share has reached its limit. */
  admit(key: ShareCommentKey, client: { key: string }): boolean;
  add: ShareCommentStore['add'];
};

/** Comments are counted in memory, for one process. */
export function createShareComments(store: ShareCommentStore): ShareComments {
  const written = createShareLimit({ client: CLIENT_RATE, share: SHARE_RATE });
  const lists = new FreshCache<WrittenList>({
    layer: 'share-comments',
    ttlMs: TTL_MS,
    absentTtlMs: TTL_MS,
    maxBytes: CACHE_BYTES,
    maxLoads: MAX_LOADS,
    load: async (key) => writeList(await store.list(readKey(key))),
    sizeBytes: ({ bytes }) => bytes.length,
    onLoadError: (error) => logEvent('share.unread', { err: error }),
  });
  return {
    list: async (key) => (await lists.get(nameOf(key))) ?? writeList([]),
    isKnown: (key) => lists.peek(nameOf(key)) !== null || lists.isLoading(nameOf(key)),
    admit: ({ shareId }, client) => written.take(shareId, client.key),
    async add(key, comment) {
      const made = await store.add(key, comment);
      lists.invalidate(nameOf(key));
      return made;
    },
  };
}

/** Fields of a comment that viewers of the page see. Ids of people and keys are not among them. */
export function toShown({ id, text, author, createdAt }: Comment) {
  const isTeam = author.kind === 'person' || author.kind === 'key';
  // Names of keys, and addresses of people without a name, are internal.
  const isInternal = author.kind === 'key' || (author.kind === 'person' && author.name.includes('@'));
  return {
    id,
    text,
    author: isInternal ? '' : author.name,
    from: isTeam ? 'team' : author.kind,
    created: createdAt.toISOString(),
  };
}

/** Requests share the list and its tag, so a large list is hashed only when it is read again. */
function writeList(threads: readonly Thread[]): WrittenList {
  const comments = threads.map((thread) => ({
    ...toShown(thread),
    time: thread.atMs / 1000,
    isResolved: thread.resolved !== null,
    replies: thread.replies.map(toShown),
  }));
  const bytes = Buffer.from(JSON.stringify({ comments }));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function nameOf({ libraryId, mediaId, shareId }: ShareCommentKey): string {
  return `${libraryId}:${mediaId}:${shareId}`;
}

function readKey(name: string): ShareCommentKey {
  const [library = '', media = '', share = ''] = name.split(':');
  const [mediaId, shareId] = [parseGuid(media), parseGuid(share)];
  if (mediaId === null || shareId === null) throw new Error(`Expected a cache key with three ids, got ${name}.`);
  return { libraryId: Number(library), mediaId, shareId };
}
