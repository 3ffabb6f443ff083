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

/** Sets the mark of a library's live streams. */
export const putLiveWatermark = defineOperation({
  name: 'putLiveWatermark',
  method: 'PUT',
  path: '/videolibrary/{id}/live/watermark',
  description:
    'Sets the picture that is drawn over live streams of a library, where its videos have theirs. Publishers that connect from now on are encoded with it.',
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
    const bytes = await deps.pictures.makeMark(sent, signal);
    await keepPicture({ library, picture: 'liveWatermark', bytes }, deps, signal);
    return null;
  },
});

/** Takes the mark off a library's live streams. */
export const deleteLiveWatermark = defineOperation({
  name: 'deleteLiveWatermark',
  method: 'DELETE',
  path: '/videolibrary/{id}/live/watermark',
  description:
    'Deletes the picture that is drawn over live streams of a library; publishers that are connected keep it.',
  auth: 'account-key',
  params: CoreLibraryParams,
  query: NoQuery,
  body: null,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, signal }, deps: Deps) {
    await removePicture({ libraryId: id, picture: 'liveWatermark' }, deps, signal);
    return null;
  },
});
