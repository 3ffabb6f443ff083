import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { WATERMARK_LIMIT_BYTES } from '../../catalog/libraries/watermark.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import type { PictureMaker } from '../../media/images/run-picture.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { NoQuery } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';
import { keepPicture, removePicture } from './stored-picture.ts';

type Deps = { libraries: LibraryStore; storage: Storage; pictures: PictureMaker };

/** Sets the picture that a library's live streams begin with. */
export const putLiveDefaultThumbnail = defineOperation({
  name: 'putLiveDefaultThumbnail',
  method: 'PUT',
  path: '/videolibrary/{id}/live/thumbnail',
  description:
    'Sets the picture of live streams that are created from now on in a library, until they are given their own.',
  auth: 'account-key',
  params: CoreLibraryParams,
  query: NoQuery,
  body: 'raw',
  answer: null,
  answerStatus: 204,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body, signal }, deps: Deps) {
    const library = await deps.libraries.find(id);
    if (library === null) throw new Refused('not-found', `There is no library ${id}. Check the id.`);
    const sent = await readBytes(body, { what: 'a picture', limitBytes: WATERMARK_LIMIT_BYTES });
    const { jpeg: bytes } = await deps.pictures.make(sent, signal);
    await keepPicture({ library, picture: 'liveThumbnail', bytes }, deps, signal);
    return null;
  },
});

/** Takes away the picture that a library's live streams begin with. */
export const deleteLiveDefaultThumbnail = defineOperation({
  name: 'deleteLiveDefaultThumbnail',
  method: 'DELETE',
  path: '/videolibrary/{id}/live/thumbnail',
  description: 'Deletes the picture that new live streams of a library begin with; those that have it keep it.',
  auth: 'account-key',
  params: CoreLibraryParams,
  query: NoQuery,
  body: null,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, signal }, deps: Deps) {
    await removePicture({ libraryId: id, picture: 'liveThumbnail' }, deps, signal);
    return null;
  },
});
