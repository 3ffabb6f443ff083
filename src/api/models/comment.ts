import { type Static, Type } from 'typebox';
import { AUTHOR_KINDS } from '../../catalog/comments/comment.ts';
import { dateTime, flag, int32, int64, model, nullable, text, words } from './fields.ts';

export const CommentAuthorKind = words('CommentAuthorKind', AUTHOR_KINDS);

const COMMENT = {
  guid: text(),
  text: text(),
  authorName: text(),
  authorKind: CommentAuthorKind,
  isOwn: flag(),
  dateCreated: dateTime(),
  dateEdited: nullable(dateTime()),
};

/** A reply to a review comment. Not part of the hosted API, like all models of comments. */
export const CommentReplyModel = model('CommentReplyModel', COMMENT);
export type CommentReplyModel = Static<typeof CommentReplyModel>;

export const CommentModel = model('CommentModel', {
  ...COMMENT,
  parentId: nullable(text()),
  time: Type.Number(),
  shareId: nullable(text()),
  isResolved: flag(),
  resolvedBy: nullable(text()),
  dateResolved: nullable(dateTime()),
  replies: Type.Array(CommentReplyModel),
});
export type CommentModel = Static<typeof CommentModel>;

export const PaginationListOfCommentModel = model('PaginationListOfCommentModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(CommentModel),
});
export type PaginationListOfCommentModel = Static<typeof PaginationListOfCommentModel>;

export const CreateCommentModel = model('CreateCommentModel', {
  text: text({ minLength: 1, maxLength: 2_000 }),
  time: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1_000_000 }))),
  parentId: Type.Optional(nullable(text({ maxLength: 100 }))),
});
export type CreateCommentModel = Static<typeof CreateCommentModel>;

/** Fields of a comment to change. Absent fields are left unchanged. */
export const UpdateCommentModel = model('UpdateCommentModel', {
  text: Type.Optional(nullable(text({ minLength: 1, maxLength: 2_000 }))),
  isResolved: Type.Optional(nullable(flag())),
});
export type UpdateCommentModel = Static<typeof UpdateCommentModel>;
