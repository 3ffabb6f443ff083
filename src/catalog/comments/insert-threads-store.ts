import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';
import type { ImportedComment, ImportedThread } from './imported-thread.ts';

/**
 * Inserts review comments with their ids, times and names. They belong to no account and to no share page. Ids that are
 * in use are left out, with their replies.
 */
export async function insertThreads(tx: Tx, key: MediaKey, threads: readonly ImportedThread[]): Promise<void> {
  if (threads.length === 0) return;
  const roots = threads.map((thread) => ({
    ...rowOf(thread, null, thread.atMs),
    resolved_at: thread.resolved?.at ?? null,
    resolved_by: thread.resolved?.by ?? null,
  }));
  await insertRows(tx, key, roots);
  const replies = threads.flatMap(({ id, atMs, replies: ofThread }) => ofThread.map((one) => rowOf(one, id, atMs)));
  await insertRows(tx, key, replies);
}

function rowOf({ id, text, ...comment }: ImportedComment, parentId: string | null, atMs: number) {
  return {
    id,
    parent_id: parentId,
    at_ms: atMs,
    content: text,
    author_kind: comment.authorKind,
    author_name: comment.authorName,
    created_at: comment.createdAt,
    edited_at: comment.editedAt,
  };
}

async function insertRows(tx: Tx, { libraryId, mediaId }: MediaKey, rows: readonly object[]): Promise<void> {
  await sql`
    insert into review_comment (id, library_id, media_id, parent_id, at_ms, content, author_kind, author_id,
      author_name, resolved_at, resolved_by, created_at, edited_at)
    select r.id, ${libraryId}, ${mediaId}, r.parent_id, r.at_ms, r.content, r.author_kind, '', r.author_name,
      r.resolved_at, r.resolved_by, r.created_at, r.edited_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, parent_id uuid, at_ms bigint, content text,
      author_kind text, author_name text, resolved_at timestamptz, resolved_by text, created_at timestamptz,
      edited_at timestamptz)
    where r.parent_id is null or exists (select from review_comment p where p.id = r.parent_id
      and p.library_id = ${libraryId} and p.media_id = ${mediaId})
    on conflict (id) do nothing`.execute(tx);
}
