import { Type } from 'typebox';
import type { ShareStore } from '../../catalog/shares/share-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { CreateShareModel, ShareList, ShareModel, UpdateShareModel } from '../models/share.ts';
import { StatusModel } from '../models/status.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { readNewShare, readShareFields, toShareModel } from './share-model.ts';

type Deps = { shares: ShareStore; edgeUrl: string; sendsMail: boolean };

const PATH = '/library/{libraryId}/collections/{collectionId}/shares';
const CollectionParams = Type.Object({ ...LibraryParams.properties, collectionId: guidParam('collection') });
const ShareParams = Type.Object({ ...CollectionParams.properties, shareId: guidParam('share') });

/** Not part of the hosted API, like the other operations of shares. */
export const listCollectionShares = defineOperation({
  name: 'listCollectionShares',
  summary: 'List share pages of a collection',
  method: 'GET',
  path: PATH,
  description:
    'Lists the share pages of a collection, oldest first, with their links. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'videos.edit',
  params: CollectionParams,
  answer: ShareList,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: key }, { shares, edgeUrl }: Deps) {
    const found = await shares.list(key);
    return { items: found.map((share) => toShareModel(share, edgeUrl)) };
  },
});

export const createCollectionShare = defineOperation({
  name: 'createCollectionShare',
  summary: 'Create a share page of a collection',
  method: 'POST',
  path: PATH,
  description:
    'Creates a page that shows the videos of a collection to everyone who has its link. It may require a password and ' +
    'may expire. Videos are shown as long as they are in the collection, in its order.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CollectionParams,
  body: CreateShareModel,
  bodyPresence: 'optional',
  answer: ShareModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: key, body, grant }, { shares, edgeUrl, sendsMail }: Deps) {
    return toShareModel(await shares.create(key, readNewShare(body, grant, sendsMail)), edgeUrl);
  },
});

export const updateCollectionShare = defineOperation({
  name: 'updateCollectionShare',
  summary: 'Change a share page of a collection',
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
  async run({ params: key, body }, { shares, edgeUrl, sendsMail }: Deps) {
    return toShareModel(await shares.update(key, readShareFields(body, sendsMail)), edgeUrl);
  },
});

export const deleteCollectionShare = defineOperation({
  name: 'deleteCollectionShare',
  summary: 'Delete a share page of a collection',
  method: 'DELETE',
  path: `${PATH}/{shareId}`,
  description:
    'Deletes a share page. The link stops working within 2 s, and open pages close the player within about 30 s.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: ShareParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: key }, { shares }: Deps) {
    await shares.remove(key);
    return ok();
  },
});
