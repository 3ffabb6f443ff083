import { type Selectable, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { noteChange } from '../note-change.ts';
import { unknownVideo } from '../unknown-video.ts';
import {
  type Author,
  type Comment,
  MAX_COMMENTS,
  MAX_VIEWER_COMMENTS,
  type NewComment,
  readPosition,
  type Thread,
} from './comment.ts';
import type { ReviewCommentTable } from './comment-schema.ts';

export type CommentKey = MediaKey & { commentId: Guid };
/** The caller of a change. A moderator may resolve and delete comments of others. */
export type Actor = { author: Author; isModerator: boolean };
type Filter = { state: 'open' | 'resolved' | 'all'; offset: number; limit: number };

/** Review comments of videos that are not in the trash. Each method throws `Refused` (`not-found`) for other videos. */
export type CommentStore = {
  /** Returns a page of the comments in the order of the video, with all replies, and their total number. */
  list(key: MediaKey, filter: Filter): Promise<{ total: number; threads: Thread[] }>;
  /**
   * Adds a comment or a reply. Throws `Refused` (`invalid`) for a position that is not in the video, a reply to a
   * reply, and a video with 1,000 comments; and (`not-found`) for a reply to an unknown comment.
   */
  create(key: MediaKey, comment: NewComment): Promise<Comment>;
  /**
   * Changes the text, which only its author may do, or resolves or opens a comment, which its author and moderators
   * may do. Throws `Refused` (`forbidden`) for others, (`invalid`) if a reply would be resolved, and (`not-found`) for
   * an unknown comment.
   */
  change(key: CommentKey, change: { text?: string; isResolved?: boolean }, actor: Actor): Promise<Thread>;
  /**
   * Deletes a comment with its replies, or a reply. Throws `Refused` (`forbidden`) for others than its author and
   * moderators, (`invalid`) if an author would delete replies of others, and (`not-found`) for an unknown comment.
   */
  remove(key: CommentKey, actor: Actor): Promise<void>;
};

export function createCommentStore(db: Db): CommentStore {
  return {
    async list(key, { state, offset, limit }) {
      await requireVideo(db, key);
      const roots = selectComments(db, key)
        .where('parent_id', 'is', null)
        .$if(state === 'open', (query) => query.where('resolved_at', 'is', null))
        .$if(state === 'resolved', (query) => query.where('resolved_at', 'is not', null));
      const { total } = await roots
        .clearSelect()
        .select((all) => all.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await roots.orderBy('at_ms').orderBy('id').offset(offset).limit(limit).execute();
      return { total: Number(total), threads: await addReplies(db, key, rows.map(toComment)) };
    },
    create: (key, comment) => inTransaction(db, (tx) => insertComment(tx, key, { ...comment, shareId: null })),
    change: (key, change, actor) => inTransaction(db, (tx) => changeComment(tx, key, { change, actor })),
    remove: (key, actor) => inTransaction(db, (tx) => removeComment(tx, key, actor)),
  };
}

/**
 * Inserts a comment. `shareId` is the share page on which it was written. A viewer of a share page can reply only to
 * comments of that page.
 */
export async function insertComment(
  tx: Tx,
  key: MediaKey,
  { text, author, place, shareId }: NewComment & { shareId: Guid | null },
): Promise<Comment> {
  // The lock keeps the count correct until the new comment is written.
  const { durationMs } = await lockVideo(tx, key);
  await requireRoom(tx, key, shareId);
  const parent = 'parentId' in place ? await findParent(tx, key, { parentId: place.parentId, shareId }) : null;
  const row = await tx
    .insertInto('review_comment')
    .values({
      id: newGuid(),
      library_id: key.libraryId,
      media_id: key.mediaId,
      parent_id: parent?.id ?? null,
      share_id: shareId,
      at_ms: 'atMs' in place ? readPosition(place.atMs / 1000, durationMs) : (parent?.atMs ?? 0),
      content: text,
      author_kind: author.kind,
      author_id: author.id,
      author_name: author.name,
    })
    .returningAll()
    .returning(keyLabel)
    .executeTakeFirstOrThrow();
  const made = toComment(row);
  noteChange({ kind: 'fields', before: null, after: { text } });
  return made;
}

/** Returns comments with all of their replies. */
export async function addReplies(db: Db | Tx, key: MediaKey, comments: readonly Comment[]): Promise<Thread[]> {
  const ids = comments.map(({ id }) => id);
  const rows =
    ids.length === 0 ? [] : await selectComments(db, key).where('parent_id', 'in', ids).orderBy('id').execute();
  const replies = Map.groupBy(rows.map(toComment), ({ parentId }) => parentId);
  return comments.map((comment) => ({ ...comment, replies: replies.get(comment.id) ?? [] }));
}

/** Name of the key that wrote a comment, if it has one and still exists. */
const keyLabel = sql<string | null>`(select nullif(label, '') from access_key
  where author_kind = 'key' and access_key.id::text = author_id)`.as('keyLabel');

type Row = Selectable<ReviewCommentTable> & { keyLabel: string | null };

export function selectComments(db: Db | Tx, { libraryId, mediaId }: MediaKey) {
  return db
    .selectFrom('review_comment')
    .selectAll()
    .select(keyLabel)
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId);
}

export function toComment(row: Row): Comment {
  return {
    id: row.id,
    parentId: row.parent_id,
    shareId: row.share_id,
    atMs: Number(row.at_ms),
    text: row.content,
    author: { kind: row.author_kind, id: row.author_id, name: row.keyLabel ?? row.author_name },
    resolved: row.resolved_at === null ? null : { at: row.resolved_at, by: row.resolved_by ?? '' },
    createdAt: row.created_at,
    editedAt: row.edited_at,
  };
}

type Changing = { change: { text?: string; isResolved?: boolean }; actor: Actor };

async function changeComment(
  tx: Tx,
  key: CommentKey,
  { change: { text, isResolved }, actor }: Changing,
): Promise<Thread> {
  const before = await lockComment(tx, key);
  if (text !== undefined && !isAuthor(actor, before)) {
    throw new Refused('forbidden', `Comment ${key.commentId} was written by somebody else. Send a reply instead.`);
  }
  if (isResolved !== undefined) requireResolvable(before, actor);
  const wasResolved = before.resolved !== null;
  const flips = isResolved !== undefined && isResolved !== wasResolved;
  const edits = text !== undefined && text !== before.text;
  const row = await tx
    .updateTable('review_comment')
    .set({
      id: key.commentId,
      ...(edits && { content: text, edited_at: new Date() }),
      ...(flips && isResolved && { resolved_at: new Date(), resolved_by: actor.author.name }),
      ...(flips && !isResolved && { resolved_at: null, resolved_by: null }),
    })
    .where('id', '=', key.commentId)
    .returningAll()
    .returning(keyLabel)
    .executeTakeFirstOrThrow();
  const after = toComment(row);
  noteChange({ kind: 'fields', before: auditedOf(before), after: auditedOf(after) });
  const [thread] = await addReplies(tx, key, [after]);
  return thread ?? { ...after, replies: [] };
}

async function removeComment(tx: Tx, key: CommentKey, actor: Actor): Promise<void> {
  const comment = await lockComment(tx, key);
  if (!actor.isModerator) {
    if (!isAuthor(actor, comment)) {
      throw new Refused('forbidden', `Comment ${key.commentId} was written by somebody else. Ask an editor.`);
    }
    const [thread] = await addReplies(tx, key, [comment]);
    if (thread?.replies.some((reply) => !isAuthor(actor, reply))) {
      const reason = 'has replies of others, which would be deleted too';
      throw new Refused('invalid', `Comment ${key.commentId} ${reason}. Set isResolved instead.`);
    }
  }
  await tx.deleteFrom('review_comment').where('id', '=', key.commentId).execute();
  noteChange({ kind: 'fields', before: auditedOf(comment), after: null });
}

function auditedOf({ text, resolved }: Comment): Record<string, unknown> {
  return { text, isResolved: resolved !== null };
}

function isAuthor({ author }: Actor, comment: Comment): boolean {
  return author.id !== '' && author.kind === comment.author.kind && author.id === comment.author.id;
}

function requireResolvable(comment: Comment, actor: Actor): void {
  if (comment.parentId !== null) {
    throw new Refused(
      'invalid',
      `Comment ${comment.id} is a reply. Set isResolved of comment ${comment.parentId} instead.`,
    );
  }
  if (actor.isModerator || isAuthor(actor, comment)) return;
  const message = `Only its author and editors can resolve or open comment ${comment.id}. Ask one of them.`;
  throw new Refused('forbidden', message);
}

/** Locks a comment and returns it. Its video is locked first, as in every change. */
async function lockComment(tx: Tx, key: CommentKey): Promise<Comment> {
  await lockVideo(tx, key);
  const row = await selectComments(tx, key).where('id', '=', key.commentId).executeTakeFirst();
  if (row !== undefined) return toComment(row);
  const video = `video ${key.mediaId} in library ${key.libraryId}`;
  const message = `Comment ${key.commentId} of ${video} not found. Check the ids.`;
  throw new Refused('not-found', message);
}

async function findParent(
  tx: Tx,
  key: MediaKey,
  { parentId, shareId }: { parentId: Guid; shareId: Guid | null },
): Promise<Comment> {
  const row = await selectComments(tx, key)
    .where('id', '=', parentId)
    .$if(shareId !== null, (query) => query.where('share_id', '=', shareId))
    .executeTakeFirst();
  if (row === undefined) {
    throw new Refused('not-found', `Comment ${parentId} not found. It may have been deleted.`, { field: 'parentId' });
  }
  if (row.parent_id === null) return toComment(row);
  const message = `Comment ${parentId} is a reply. Send the parentId ${row.parent_id} instead.`;
  throw new Refused('invalid', message, { field: 'parentId' });
}

async function requireRoom(tx: Tx, key: MediaKey, shareId: Guid | null): Promise<void> {
  const { total, ofViewers } = await tx
    .selectFrom('review_comment')
    .select((all) => [
      all.fn.countAll<number>().as('total'),
      all.fn.countAll<number>().filterWhere('author_kind', 'in', ['email', 'guest']).as('ofViewers'),
    ])
    .where('library_id', '=', key.libraryId)
    .where('media_id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  const isFull = Number(total) >= MAX_COMMENTS || (shareId !== null && Number(ofViewers) >= MAX_VIEWER_COMMENTS);
  if (!isFull) return;
  throw new Refused('invalid', `The video already has ${total} comments. Delete some that are not needed.`);
}

export async function lockVideo(tx: Tx, key: MediaKey): Promise<{ durationMs: number }> {
  const row = await selectVideo(tx, key).select('duration_ms as durationMs').forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw unknownVideo(key);
  return { durationMs: Number(row.durationMs) };
}

async function requireVideo(db: Db, key: MediaKey): Promise<void> {
  if ((await selectVideo(db, key).select('id').executeTakeFirst()) === undefined) throw unknownVideo(key);
}

function selectVideo(db: Db | Tx, { libraryId, mediaId }: MediaKey) {
  return db
    .selectFrom('media')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('type', '=', 'video');
}
