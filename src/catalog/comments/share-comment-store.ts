import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Db, MediaKey } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Comment, NewComment, Thread } from './comment.ts';
import { addReplies, insertComment, lockVideo, selectComments, toComment } from './comment-store.ts';

export type ShareCommentKey = MediaKey & { shareId: Guid };

/** Comments on the page of a share: those written there, and all replies to them. */
export type ShareCommentStore = {
  /** Returns the comments in the order of the video. */
  list(key: ShareCommentKey): Promise<Thread[]>;
  /**
   * Adds a comment of a viewer. Throws `Refused` (`not-found`) if the share was deleted, has expired or allows no
   * comments, and for a reply to a comment of another page; and (`invalid`) like `CommentStore`.
   */
  add(key: ShareCommentKey, comment: NewComment): Promise<Comment>;
};

export function createShareCommentStore(db: Db): ShareCommentStore {
  return {
    async list(key) {
      const rows = await selectComments(db, key)
        .where('share_id', '=', key.shareId)
        .where('parent_id', 'is', null)
        .orderBy('at_ms')
        .orderBy('id')
        .execute();
      return addReplies(db, key, rows.map(toComment));
    },
    add: (key, comment) =>
      inTransaction(db, async (tx) => {
        // The edge may know an older state of the share. The video is locked before its shares, as in a deletion.
        await lockVideo(tx, key);
        const { rows } = await sql`select 1 from share
          where id = ${key.shareId} and media_id = ${key.mediaId} and allows_comments
            and (expires_at is null or expires_at > now()) for key share`.execute(tx);
        if (rows.length === 0) throw new Refused('not-found', 'This page accepts no comments. Ask for a new link.');
        return insertComment(tx, key, { ...comment, shareId: key.shareId });
      }),
  };
}
