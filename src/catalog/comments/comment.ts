import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { isVisible, readLine, readLines } from '../../lib/visible-text.ts';

/** Maximum number of comments and replies of a video. */
export const MAX_COMMENTS = 1_000;
/** Maximum number of them that viewers of share pages can write, so that the others are left for the team. */
export const MAX_VIEWER_COMMENTS = 800;
export const MAX_COMMENT_CHARACTERS = 2_000;
export const MAX_GUEST_NAME_CHARACTERS = 80;
/** Maximum length of the name of an author, which may be an e-mail address. */
const MAX_AUTHOR_NAME_CHARACTERS = 320;
/** Maximum position in a video of unknown length, in ms. */
const MAX_AT_MS = 1_000_000_000;

/**
 * Kinds of authors. `person`: signed in. `key`: used an API key. `email`: viewer of a share page with a confirmed
 * e-mail address. `guest`: viewer of a share page with a name that nobody has checked.
 */
export const AUTHOR_KINDS = ['person', 'key', 'email', 'guest'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** `id` is the id of the person, the name of the key, or the e-mail address. It is empty for a guest. */
export type Author = { kind: AuthorKind; id: string; name: string };

/** A review comment, or a reply to one. */
export type Comment = {
  id: Guid;
  /** Null for a comment that is not a reply. */
  parentId: Guid | null;
  /** Share page on which it was written, or null. */
  shareId: Guid | null;
  /** Position in the video. */
  atMs: number;
  text: string;
  author: Author;
  /** Null for an open comment, and for replies. */
  resolved: { at: Date; by: string } | null;
  createdAt: Date;
  /** Null if the text was never changed. */
  editedAt: Date | null;
};

/** A comment with its replies, oldest first. */
export type Thread = Comment & { replies: Comment[] };

/** A new comment. A reply has a `parentId`, a comment a position. */
export type NewComment = { text: string; author: Author; place: { parentId: Guid } | { atMs: number } };

/**
 * Reads the text of a comment: plain text of at most 2,000 characters, without control characters other than line
 * breaks and tabs, and without characters that change the direction of others. Throws `Refused` (`invalid`) for an
 * empty or longer one.
 */
export function readCommentText(sent: string): string {
  const text = readLines(sent).trim();
  requireLength(text, { field: 'text', max: MAX_COMMENT_CHARACTERS });
  return text;
}

/** Reads the name of a guest: one line of at most 80 characters. Throws `Refused` (`invalid`) for any other. */
export function readGuestName(sent: string): string {
  return readName(sent, MAX_GUEST_NAME_CHARACTERS);
}

/** Reads the name of any author: one line of at most 320 characters. Throws `Refused` (`invalid`) for any other. */
export function readAuthorName(sent: string): string {
  return readName(sent, MAX_AUTHOR_NAME_CHARACTERS);
}

function readName(sent: string, max: number): string {
  // Marks of the direction could make the name look like another.
  const line = readLine(sent).replaceAll(/[\u061c\u200e\u200f]/gu, ' ');
  const name = line.replaceAll(/\s+/gu, ' ').trim();
  requireLength(name, { field: 'name', max });
  return name;
}

/**
 * Converts a position to ms. Throws `Refused` (`invalid`) if it is not in the video, whose length is 0 if unknown.
 */
export function readPosition(sec: number, durationMs: number): number {
  const atMs = Math.round(sec * 1000);
  const endMs = durationMs > 0 ? durationMs : MAX_AT_MS;
  // Players may report a position slightly after the end, so up to a second is accepted.
  if (atMs >= 0 && atMs <= endMs + 1000) return Math.min(atMs, endMs);
  const expected = `Expected time to be a position in the video, 0 to ${endMs / 1000} s`;
  throw new Refused('invalid', `${expected}, got ${sec}. Correct it.`, { field: 'time' });
}

function requireLength(text: string, { field, max }: { field: string; max: number }): void {
  const length = isVisible(text) ? [...text].length : 0;
  if (length >= 1 && length <= max) return;
  const message = `Expected ${field} to have 1 to ${max} characters, got ${length}. Correct it.`;
  throw new Refused('invalid', message, { field });
}
