import type { IncomingMessage } from 'node:http';
import { type Author, type NewComment, readCommentText, readGuestName } from '../../catalog/comments/comment.ts';
import type { ShareCommentKey } from '../../catalog/comments/share-comment-store.ts';
import { readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import { type Answer, CACHE_NOTHING, notFound, toProblem } from '../http/answer.ts';
import { lookUp } from '../receive/receive.ts';
import { type AskedShare, type ShareDeps, UNLISTED } from './share-answers.ts';
import { toShown } from './share-comments.ts';
import { openVideo } from './shared-video.ts';

/** Maximum size of a comment as JSON, in which a character can take 12 bytes. */
export const MAX_COMMENT_BYTES = 32_768;
const FIELDS = ['text', 'name', 'time', 'parentId'];

/** Serves the comments of a share page. The viewer has passed the checks of the share. */
export async function serveComments({ admitted, share }: AskedShare, deps: ShareDeps): Promise<Answer> {
  const key = await findKey({ admitted, share }, deps);
  if ('kind' in key) return key;
  const { comments, budgets } = deps;
  const list = () => comments.list(key);
  const { bytes, etag } = comments.isKnown(key) ? await list() : await lookUp(admitted.request.client, budgets, list);
  return json(bytes, etag);
}

/** Adds a comment of a viewer. Returns it as it appears in the list. */
export async function takeComment({ admitted, share }: AskedShare, body: Buffer, deps: ShareDeps): Promise<Answer> {
  const { client, message, nowMs } = admitted.request;
  if (!isOfOwnPage(message, deps)) return { kind: 'problem', problem: toProblem('forbidden') };
  const key = await findKey({ admitted, share }, deps);
  if ('kind' in key) return key;
  const sent = readSent(body);
  const isByAddress = share.emailDomains.length > 0;
  const author = isByAddress ? addressOf(deps.emails.holderOf(share, message, nowMs)) : guestOf(sent.name, deps.player);
  if (author === null) return { kind: 'problem', problem: toProblem('invalid-name') };
  const comment: NewComment = { text: readCommentText(sent.text), author, place: placeOf(sent) };
  if (!deps.comments.admit(key, client)) return { kind: 'problem', problem: toProblem('too-many-requests') };
  const made = await deps.comments.add(key, comment);
  const parent = made.parentId === null ? { time: made.atMs / 1000, isResolved: false, replies: [] } : {};
  return json(Buffer.from(JSON.stringify({ ...toShown(made), ...parent })), null);
}

/** Returns the key of the comments, or the response for a share without comments or a video that cannot be played. */
async function findKey({ admitted, share }: AskedShare, deps: ShareDeps): Promise<ShareCommentKey | Answer> {
  if (!share.allowsComments || share.target.kind !== 'video') return notFound('not-found');
  const { mediaId } = share.target;
  const found = await openVideo({ admitted, share }, mediaId, deps);
  return 'kind' in found ? found : { libraryId: share.libraryId, mediaId, shareId: share.id };
}

/**
 * Returns whether a page of this origin sent the request, as JSON. Forms of other sites cannot send JSON, and browsers
 * set both headers, which scripts cannot change.
 */
function isOfOwnPage(message: IncomingMessage, { trusted, edgeUrl }: Pick<ShareDeps, 'trusted' | 'edgeUrl'>): boolean {
  const { origin, 'content-type': type = '', 'sec-fetch-site': site } = message.headers;
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return false;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  const { scheme, host } = requestOrigin(message, trusted);
  return origin === `${scheme}://${host}` || origin === edgeUrl;
}

type Sent = { text: string; name: string; time: number | null; parentId: string | null };

function readSent(body: Buffer): Sent {
  const sent = readObject(body);
  const stray = Object.keys(sent).find((name) => !FIELDS.includes(name));
  if (stray !== undefined) throw new Refused('invalid', `Expected only ${FIELDS.join(', ')}. Remove other fields.`);
  const { text, name = '', time = null, parentId = null } = sent;
  if (typeof text !== 'string' || typeof name !== 'string') {
    throw new Refused('invalid', 'Expected text and name to be texts. Correct them.');
  }
  if (time !== null && (typeof time !== 'number' || !Number.isFinite(time))) {
    throw new Refused('invalid', 'Expected time to be a number of seconds. Correct it.', { field: 'time' });
  }
  if (parentId !== null && typeof parentId !== 'string') {
    throw new Refused('invalid', 'Expected parentId to be a GUID. Correct it.', { field: 'parentId' });
  }
  return { text, name, time, parentId };
}

function readObject(body: Buffer): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body.toString());
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused('invalid', 'Expected a comment as a JSON object. Correct it.');
}

function placeOf({ time, parentId }: Sent): NewComment['place'] {
  if (parentId === null && time !== null) return { atMs: time * 1000 };
  const id = time === null && parentId !== null ? readGuid(parentId) : null;
  if (id !== null) return { parentId: id };
  throw new Refused('invalid', 'Expected either time in seconds or parentId. Correct it.');
}

/** Returns a guest, or null for an unusable name. The name of the team would look like a comment of the team. */
function guestOf(sent: string, { languages }: ShareDeps['player']): Author | null {
  try {
    const name = readGuestName(sent);
    const isTeam = [...languages.values()].some((words) => fold(words['comments.team'] ?? '') === fold(name));
    return isTeam ? null : { kind: 'guest', id: '', name };
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

/** Returns the letters and digits of a name, for comparisons. */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function addressOf(address: string | null): Author {
  // Viewers without a confirmed address do not pass the checks of the share.
  if (address === null) throw new Error('Expected a viewer with a confirmed address, got none.');
  return { kind: 'email', id: address, name: address };
}

function json(bytes: Buffer, etag: string | null): Answer {
  const headers = { ...UNLISTED, Vary: 'Cookie' };
  return {
    kind: 'bytes',
    bytes,
    contentType: 'application/json; charset=utf-8',
    cacheControl: CACHE_NOTHING,
    etag,
    headers,
  };
}
