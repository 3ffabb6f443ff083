import type { FieldTexts } from './field-texts.ts';

const COMMENT = {
  guid: 'GUID of the comment.',
  text: 'Plain text of 1 to 2,000 characters. Show it as text, never as HTML.',
  authorName: 'Name of the person or key, confirmed e-mail address, or name that a guest entered.',
  authorKind:
    '`person`: signed in. `key`: used an API key. `email`: viewer of a share page with a confirmed e-mail address. ' +
    '`guest`: viewer of a share page; nobody has checked the name.',
  isOwn: 'Whether the caller wrote it, and may change it.',
  dateCreated: 'Time of creation.',
  dateEdited: 'Time of the last change of the text, or null.',
};

/** Descriptions of the fields of review comments. */
export const COMMENT_FIELD_TEXTS: FieldTexts = {
  CommentReplyModel: COMMENT,
  CommentModel: {
    ...COMMENT,
    parentId: 'GUID of the comment that a reply belongs to; null for a comment.',
    time: 'Position in the video in seconds. Replies have that of their comment.',
    shareId: 'GUID of the share page on which it was written. Null if it was not, or the share page was deleted.',
    isResolved: 'Whether the comment is resolved.',
    resolvedBy: 'Name of the person or key that resolved it, or null.',
    dateResolved: 'Time at which it was resolved, or null.',
    replies: 'Replies, oldest first.',
  },
  CreateCommentModel: {
    text: COMMENT.text,
    time: 'Position in the video in seconds, with up to three decimal places. Required for a comment.',
    parentId: 'GUID of the comment to reply to. A reply has no `time`, and cannot be replied to.',
  },
  UpdateCommentModel: {
    text: 'New text. Only the author may change it.',
    isResolved: 'True resolves a comment, false opens it again. Replies have no such state.',
  },
};
