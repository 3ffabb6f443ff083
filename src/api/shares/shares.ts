import { Type } from 'typebox';
import type { ShareStore } from '../../catalog/shares/share-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { CreateShareModel, ShareList, ShareModel, UpdateShareModel } from '../models/share.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { readNewShare, readShareFields, toShareModel } from './share-model.ts';

type Deps = { shares: ShareStore; edgeUrl: string; sendsMail: boolean };

const SHARE_ID = { shareId: guidParam('share') };

const VIDEO_PATH = '/library/{libraryId}/videos/{videoId}/shares';
const VideoParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
const VideoShareParams = Type.Object({ ...VideoParams.properties, ...SHARE_ID });

const COLLECTION_PATH = '/library/{libraryId}/collections/{collectionId}/shares';
const CollectionParams = Type.Object({ ...LibraryParams.properties, collectionId: guidParam('collection') });
const CollectionShareParams = Type.Object({ ...CollectionParams.properties, ...SHARE_ID });

/** Contracts that the share operations of videos and of collections have in common. None is part of the hosted API. */
const OF_EDITORS = { auth: 'access-key', permission: 'videos.edit' } as const;
const LIST = {
  ...OF_EDITORS,
  method: 'GET',
  keyScope: 'write',
  answer: ShareList,
  refusals: { forbidden: 403, 'not-found': 404 },
} as const;
const CREATE = {
  ...OF_EDITORS,
  method: 'POST',
  body: CreateShareModel,
  bodyPresence: 'optional',
  answer: ShareModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
} as const;
const UPDATE = {
  ...OF_EDITORS,
  method: 'POST',
  description:
    'Changes a share page; absent fields are left unchanged, null removes the password or the expiry date. Viewers ' +
    'who know the previous password must enter the new one.',
  body: UpdateShareModel,
  answer: ShareModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
} as const;
const DELETE = {
  ...OF_EDITORS,
  method: 'DELETE',
  description:
    'Deletes a share page. The link stops working within 2 s, and open pages close the player within about 30 s.',
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
} as const;

export const listShares = defineOperation({
  ...LIST,
  name: 'listShares',
  summary: 'List share pages',
  path: VIDEO_PATH,
  description: 'Lists the share pages of a video, oldest first, with their links. Requires a key with write access.',
  params: VideoParams,
  async run({ params: { libraryId, videoId } }, { shares, edgeUrl }: Deps) {
    const found = await shares.list({ libraryId, mediaId: videoId });
    return { items: found.map((share) => toShareModel(share, edgeUrl)) };
  },
});

export const createShare = defineOperation({
  ...CREATE,
  name: 'createShare',
  summary: 'Create a share page',
  path: VIDEO_PATH,
  description:
    'Creates a page that shows a video to everyone who has its link. It may require a password and may expire.',
  params: VideoParams,
  async run({ params: { libraryId, videoId }, body, grant }, { shares, edgeUrl, sendsMail }: Deps) {
    const wanted = readNewShare(body, grant, sendsMail);
    return toShareModel(await shares.create({ libraryId, mediaId: videoId }, wanted), edgeUrl);
  },
});

export const updateShare = defineOperation({
  ...UPDATE,
  name: 'updateShare',
  summary: 'Change a share page',
  path: `${VIDEO_PATH}/{shareId}`,
  params: VideoShareParams,
  async run({ params: { libraryId, videoId, shareId }, body }, { shares, edgeUrl, sendsMail }: Deps) {
    const key = { libraryId, mediaId: videoId, shareId };
    return toShareModel(await shares.update(key, readShareFields(body, sendsMail)), edgeUrl);
  },
});

export const deleteShare = defineOperation({
  ...DELETE,
  name: 'deleteShare',
  summary: 'Delete a share page',
  path: `${VIDEO_PATH}/{shareId}`,
  params: VideoShareParams,
  async run({ params: { libraryId, videoId, shareId } }, { shares }: Deps) {
    await shares.remove({ libraryId, mediaId: videoId, shareId });
    return ok();
  },
});

export const listCollectionShares = defineOperation({
  ...LIST,
  name: 'listCollectionShares',
  summary: 'List share pages of a collection',
  path: COLLECTION_PATH,
  description:
    'Lists the share pages of a collection, oldest first, with their links. Requires a key with write access.',
  params: CollectionParams,
  async run({ params: key }, { shares, edgeUrl }: Deps) {
    const found = await shares.list(key);
    return { items: found.map((share) => toShareModel(share, edgeUrl)) };
  },
});

export const createCollectionShare = defineOperation({
  ...CREATE,
  name: 'createCollectionShare',
  summary: 'Create a share page of a collection',
  path: COLLECTION_PATH,
  description:
    'Creates a page that shows the videos of a collection to everyone who has its link. It may require a password ' +
    'and may expire. Videos are shown as long as they are in the collection, in its order.',
  params: CollectionParams,
  async run({ params: key, body, grant }, { shares, edgeUrl, sendsMail }: Deps) {
    return toShareModel(await shares.create(key, readNewShare(body, grant, sendsMail)), edgeUrl);
  },
});

export const updateCollectionShare = defineOperation({
  ...UPDATE,
  name: 'updateCollectionShare',
  summary: 'Change a share page of a collection',
  path: `${COLLECTION_PATH}/{shareId}`,
  params: CollectionShareParams,
  async run({ params: key, body }, { shares, edgeUrl, sendsMail }: Deps) {
    return toShareModel(await shares.update(key, readShareFields(body, sendsMail)), edgeUrl);
  },
});

export const deleteCollectionShare = defineOperation({
  ...DELETE,
  name: 'deleteCollectionShare',
  summary: 'Delete a share page of a collection',
  path: `${COLLECTION_PATH}/{shareId}`,
  params: CollectionShareParams,
  async run({ params: key }, { shares }: Deps) {
    await shares.remove(key);
    return ok();
  },
});
