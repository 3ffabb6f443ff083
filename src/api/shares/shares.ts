import { Type } from 'typebox';
import type { ShareStore } from '../../catalog/shares/share-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { CreateShareModel, ShareList, ShareModel, UpdateShareModel } from '../models/share.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { readNewShare, readShareFields, toShareModel } from './share-model.ts';

type Deps = { shares: ShareStore; edgeUrl: string; sendsMail: boolean };

const PATH = '/library/{libraryId}/videos/{videoId}/shares';
const VideoParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
const ShareParams = Type.Object({ ...VideoParams.properties, shareId: guidParam('share') });

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
  async run({ params: { libraryId, videoId }, body, grant }, { shares, edgeUrl, sendsMail }: Deps) {
    return toShareModel(
      await shares.create({ libraryId, mediaId: videoId }, readNewShare(body, grant, sendsMail)),
      edgeUrl,
    );
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
  async run({ params: { libraryId, videoId, shareId }, body }, { shares, edgeUrl, sendsMail }: Deps) {
    const key = { libraryId, mediaId: videoId, shareId };
    return toShareModel(await shares.update(key, readShareFields(body, sendsMail)), edgeUrl);
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
