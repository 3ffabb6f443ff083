import { cleanText } from '../../lib/clean-text.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import {
  AUTHOR_KINDS,
  type AuthorKind,
  MAX_COMMENTS,
  readAuthorName,
  readCommentText,
  readPosition,
} from './comment.ts';

/** A comment of an export. Times are in ISO 8601. The account of its author is not exported. */
export type ImportedComment = {
  id: Guid;
  text: string;
  authorKind: AuthorKind;
  authorName: string;
  createdAt: string;
  editedAt: string | null;
};

export type ImportedThread = ImportedComment & {
  atMs: number;
  resolved: { at: string; by: string } | null;
  replies: ImportedComment[];
};

/**
 * Reads review comments in the form of the API. Leaves out those that a video here could not have, and returns how many
 * they are.
 */
export function readThreads(list: unknown): { threads: ImportedThread[]; leftOut: number } {
  const counts = { kept: 0, leftOut: 0 };
  const read = <T>(from: unknown, readOne: (fields: Record<string, unknown>) => T): T[] =>
    (Array.isArray(from) ? from : []).flatMap((one: unknown) => {
      const found = counts.kept < MAX_COMMENTS ? attempt(() => readOne(Object(one))) : null;
      counts[found === null ? 'leftOut' : 'kept'] += 1;
      return found === null ? [] : [found];
    });
  const threads = read(list, readThread).map(({ replies, ...thread }) => ({
    ...thread,
    replies: read(replies, readComment),
  }));
  return { threads, leftOut: counts.leftOut };
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function readComment(sent: Record<string, unknown>): ImportedComment {
  const id = readGuid(String(sent.guid));
  const createdAt = timeOf(sent.dateCreated);
  if (id === null || createdAt === null) throw new Refused('invalid', 'Expected a GUID and a time of each comment.');
  return {
    id,
    text: readCommentText(String(sent.text)),
    authorKind: AUTHOR_KINDS.find((kind) => kind === sent.authorKind) ?? 'guest',
    authorName: readAuthorName(String(sent.authorName)),
    createdAt,
    editedAt: timeOf(sent.dateEdited),
  };
}

function readThread(sent: Record<string, unknown>): Omit<ImportedThread, 'replies'> & { replies: unknown } {
  const at = sent.isResolved === true ? timeOf(sent.dateResolved) : null;
  return {
    ...readComment(sent),
    // The length of the video is not known yet.
    atMs: readPosition(Number(sent.time), 0),
    resolved: at === null ? null : { at, by: cleanText(String(sent.resolvedBy ?? '')) },
    replies: sent.replies,
  };
}

function timeOf(value: unknown): string | null {
  return typeof value === 'string' ? (readTime(value)?.toISOString() ?? null) : null;
}
