import { Type } from 'typebox';
import { type Author, type Comment, readCommentText, type Thread } from '../../catalog/comments/comment.ts';
import type { Actor, CommentStore } from '../../catalog/comments/comment-store.ts';
import { isPermitted } from '../../catalog/people/permissions.ts';
import type { Caller } from '../../catalog/people/person.ts';
import { readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import {
  CommentModel,
  type CommentReplyModel,
  CreateCommentModel,
  PaginationListOfCommentModel,
  UpdateCommentModel,
} from '../models/comment.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { PAGING, queryWord } from '../read-query.ts';

const PATH = '/library/{libraryId}/videos/{videoId}/comments';
const VideoParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
const CommentParams = Type.Object({ ...VideoParams.properties, commentId: guidParam('comment') });

type Deps = { comments: CommentStore };

/** None of these operations is part of the hosted API. */
const listComments = defineOperation({
  name: 'listComments',
  method: 'GET',
  summary: 'List review comments',
  path: PATH,
  description: 'Lists the review comments of a video in the order of their times, with all replies.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  query: Type.Object({ ...PAGING, state: queryWord('all', ['open', 'resolved', 'all']) }),
  answer: PaginationListOfCommentModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params, query: { page, itemsPerPage, state }, grant }, { comments }: Deps) {
    const filter = { state, offset: (page - 1) * itemsPerPage, limit: itemsPerPage };
    const { total, threads } = await comments.list(keyOf(params), filter);
    const author = authorOf(grant);
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: threads.map((thread) => toCommentModel(thread, author)),
    };
  },
});

const createComment = defineOperation({
  name: 'createComment',
  method: 'POST',
  summary: 'Add a review comment',
  path: PATH,
  description:
    'Adds a review comment at a time of a video, or a reply to a comment. A video has at most 1,000 comments and ' +
    'replies.',
  auth: 'access-key',
  permission: 'videos.comment',
  params: VideoParams,
  body: CreateCommentModel,
  answer: CommentModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, body, grant }, { comments }: Deps) {
    const author = authorOf(grant);
    const made = await comments.create(keyOf(params), {
      text: readCommentText(body.text),
      author,
      place: readPlace(body),
    });
    return toCommentModel({ ...made, replies: [] }, author);
  },
});

const updateComment = defineOperation({
  name: 'updateComment',
  method: 'POST',
  summary: 'Change a review comment',
  path: `${PATH}/{commentId}`,
  description:
    'Changes the text of a comment or reply, or resolves or opens a comment. Absent fields are left unchanged. Only ' +
    'the author may change the text. The author and people who may edit videos may resolve and open a comment.',
  auth: 'access-key',
  permission: 'videos.comment',
  params: CommentParams,
  body: UpdateCommentModel,
  answer: CommentModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, body: { text, isResolved }, grant }, { comments }: Deps) {
    const actor = actorOf(grant, params.libraryId);
    const change = {
      ...(text != null && { text: readCommentText(text) }),
      ...(isResolved != null && { isResolved }),
    };
    const key = { ...keyOf(params), commentId: params.commentId };
    return toCommentModel(await comments.change(key, change, actor), actor.author);
  },
});

const deleteComment = defineOperation({
  name: 'deleteComment',
  method: 'DELETE',
  summary: 'Delete a review comment',
  path: `${PATH}/{commentId}`,
  description:
    'Deletes a comment with its replies, or a reply. Authors may delete their own, unless others have replied. ' +
    'People who may edit videos may delete all.',
  auth: 'access-key',
  permission: 'videos.comment',
  params: CommentParams,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, grant }, { comments }: Deps) {
    await comments.remove({ ...keyOf(params), commentId: params.commentId }, actorOf(grant, params.libraryId));
    return ok();
  },
});

function keyOf({ libraryId, videoId }: { libraryId: number; videoId: Comment['id'] }) {
  return { libraryId, mediaId: videoId };
}

function authorOf(grant: Caller | null): Author {
  const { person, keyName = '' } = grant ?? {};
  if (person === undefined) return { kind: 'key', id: keyName, name: keyName };
  return { kind: 'person', id: person.id, name: person.name === '' ? person.email : person.name };
}

/** A key that may write has the rights of an editor. */
function actorOf(grant: Caller | null, libraryId: number): Actor {
  const { person } = grant ?? {};
  const isModerator = person === undefined || isPermitted(person.roles, 'videos.edit', libraryId);
  return { author: authorOf(grant), isModerator };
}

function readPlace({ time, parentId }: CreateCommentModel) {
  if (parentId == null) {
    if (time != null) return { atMs: time * 1000 };
    const message = 'Expected time or parentId, got neither. Send the time in seconds, or the comment to reply to.';
    throw new Refused('invalid', message, { field: 'time' });
  }
  if (time != null) {
    const message = 'Expected either time or parentId, got both. A reply has the time of its comment: omit time.';
    throw new Refused('invalid', message, { field: 'time' });
  }
  const id = readGuid(parentId);
  if (id !== null) return { parentId: id };
  const message = `Expected parentId to be a GUID, got ${quote(parentId)}. Correct it.`;
  throw new Refused('invalid', message, { field: 'parentId' });
}

function toReplyModel({ id, text, author, createdAt, editedAt }: Comment, reader: Author): CommentReplyModel {
  return {
    guid: id,
    text,
    authorName: author.name,
    authorKind: author.kind,
    isOwn: author.id !== '' && author.kind === reader.kind && author.id === reader.id,
    dateCreated: wireTime(createdAt),
    dateEdited: editedAt && wireTime(editedAt),
  };
}

export function toCommentModel(thread: Thread, reader: Author): CommentModel {
  const { resolved } = thread;
  return {
    ...toReplyModel(thread, reader),
    parentId: thread.parentId,
    time: thread.atMs / 1000,
    shareId: thread.shareId,
    isResolved: resolved !== null,
    resolvedBy: resolved?.by ?? null,
    dateResolved: resolved && wireTime(resolved.at),
    replies: thread.replies.map((reply) => toReplyModel(reply, reader)),
  };
}

/** Operations on review comments of a video. */
export const commentOperations = [listComments, createComment, updateComment, deleteComment] as const;
