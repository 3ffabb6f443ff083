import { Type } from 'typebox';
import { countCharacters, MAX_PASSWORD_CHARACTERS } from '../../catalog/people/password-hash.ts';
import type { Caller } from '../../catalog/people/person.ts';
import type { ShareView } from '../../catalog/shares/share.ts';
import type { ShareFields, ShareStore } from '../../catalog/shares/share-store.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import { CreateShareModel, ShareList, ShareModel, UpdateShareModel } from '../models/share.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';

type Deps = { shares: ShareStore; edgeUrl: string };

const PATH = '/library/{libraryId}/videos/{videoId}/shares';
const VideoParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
const ShareParams = Type.Object({ ...VideoParams.properties, shareId: guidParam('share') });
/** Passwords may be shorter than those of people, because a share grants access to one video for a limited time. */
const MIN_PASSWORD_CHARACTERS = 8;

/** Not part of the hosted API, like the other operations of shares. */
export const listShares = defineOperation({
  name: 'listShares',
  summary: 'List share pages',
  method: 'GET',
  path: PATH,
  description: 'Lists the share pages of a video, oldest first, with their links. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'videos.edit',
  params: VideoParams,
  answer: ShareList,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { shares, edgeUrl }: Deps) {
    const found = await shares.list({ libraryId, mediaId: videoId });
    return { items: found.map((share) => toShareModel(share, edgeUrl)) };
  },
});

export const createShare = defineOperation({
  name: 'createShare',
  summary: 'Create a share page',
  method: 'POST',
  path: PATH,
  description:
    'Creates a page that shows a video to everyone who has its link. It may require a password and may expire.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  body: CreateShareModel,
  bodyPresence: 'optional',
  answer: ShareModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, body, grant }, { shares, edgeUrl }: Deps) {
    const { password = null, allowsDownload = false, expiresAt = null } = readFields(body);
    const wanted = { password, allowsDownload, expiresAt, createdBy: nameOf(grant) };
    return toShareModel(await shares.create({ libraryId, mediaId: videoId }, wanted), edgeUrl);
  },
});

export const updateShare = defineOperation({
  name: 'updateShare',
  summary: 'Change a share page',
  method: 'POST',
  path: `${PATH}/{shareId}`,
  description:
    'Changes a share page; absent fields are left unchanged, null removes the password or the expiry date. Viewers ' +
    'who know the previous password must enter the new one.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: ShareParams,
  body: UpdateShareModel,
  answer: ShareModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId, shareId }, body }, { shares, edgeUrl }: Deps) {
    return toShareModel(await shares.update({ libraryId, mediaId: videoId, shareId }, readFields(body)), edgeUrl);
  },
});

export const deleteShare = defineOperation({
  name: 'deleteShare',
  summary: 'Delete a share page',
  method: 'DELETE',
  path: `${PATH}/{shareId}`,
  description:
    'Deletes a share page. The link stops working within 2 s, and open pages close the player within about 30 s.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: ShareParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId, shareId } }, { shares }: Deps) {
    await shares.remove({ libraryId, mediaId: videoId, shareId });
    return ok();
  },
});

function toShareModel({ id, token, ...share }: ShareView, edgeUrl: string): ShareModel {
  return {
    guid: id,
    url: `${edgeUrl}/share/${token}`,
    access: share.hasPassword ? 'password' : 'link',
    allowDownload: share.allowsDownload,
    dateExpires: share.expiresAt && wireTime(share.expiresAt),
    createdBy: share.createdBy,
    dateCreated: wireTime(share.createdAt),
  };
}

function nameOf(grant: Caller | null): string {
  return grant?.person?.email ?? grant?.keyName ?? '';
}

/** Reads the fields of a request. Throws `Refused` (`invalid`) for an unusable password or date. */
function readFields({ password, allowDownload, dateExpires }: UpdateShareModel): Partial<ShareFields> {
  return {
    ...(password !== undefined && { password: password === null ? null : readPassword(password) }),
    ...(allowDownload != null && { allowsDownload: allowDownload }),
    ...(dateExpires !== undefined && { expiresAt: dateExpires === null ? null : readEnd(dateExpires) }),
  };
}

function readPassword(text: string): string {
  const length = countCharacters(text);
  if (length >= MIN_PASSWORD_CHARACTERS && length <= MAX_PASSWORD_CHARACTERS) return text;
  const expected = `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters`;
  const message = `Expected a password of ${expected}, got ${length}. Choose another, or send null for none.`;
  throw new Refused('invalid', message, { field: 'password' });
}

function readEnd(text: string): Date {
  const at = readTime(text);
  if (at !== null && at.getTime() > Date.now()) return at;
  const expected = 'Expected dateExpires to be a time in the future, such as "2030-01-31T12:00:00Z"';
  const message = `${expected}, got ${quote(text)}. Correct it.`;
  throw new Refused('invalid', message, { field: 'dateExpires' });
}
