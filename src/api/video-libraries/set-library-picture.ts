import { type LibraryPicture, PICTURE_LIMIT_BYTES } from '../../catalog/libraries/library-picture.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import type { PictureMaker } from '../../media/images/run-picture.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { CoreLibraryParams } from './core-library.ts';
import { keepPicture, removePicture } from './stored-picture.ts';

type Deps = { libraries: LibraryStore; storage: Storage; pictures: PictureMaker };
type Wanted = { name: string; path: string; description: string; picture: LibraryPicture };
/** Makes what is kept of what was sent. */
type Make = (sent: Buffer, pictures: PictureMaker, signal: AbortSignal) => Promise<Buffer>;

const PATHS = {
  watermark: '/videolibrary/{id}/watermark',
  liveWatermark: '/videolibrary/{id}/live/watermark',
  liveThumbnail: '/videolibrary/{id}/live/thumbnail',
} as const satisfies Record<LibraryPicture, string>;

const makeMark: Make = (sent, pictures, signal) => pictures.makeMark(sent, signal);
const makeJpeg: Make = async (sent, pictures, signal) => (await pictures.make(sent, signal)).jpeg;

export const putWatermark = defineUpload(
  {
    name: 'putWatermark',
    path: PATHS.watermark,
    description: 'Sets the picture that is drawn over videos of a library while they are encoded.',
    picture: 'watermark',
  },
  makeMark,
);

export const deleteWatermark = defineRemoval({
  name: 'deleteWatermark',
  path: PATHS.watermark,
  description: 'Deletes the watermark of a library; videos that were encoded with it keep it.',
  picture: 'watermark',
});

export const putLiveWatermark = defineUpload(
  {
    name: 'putLiveWatermark',
    path: PATHS.liveWatermark,
    description:
      'Sets the picture that is drawn over live streams of a library, where its videos have theirs. Publishers that connect from now on are encoded with it.',
    picture: 'liveWatermark',
  },
  makeMark,
);

export const deleteLiveWatermark = defineRemoval({
  name: 'deleteLiveWatermark',
  path: PATHS.liveWatermark,
  description:
    'Deletes the picture that is drawn over live streams of a library; publishers that are connected keep it.',
  picture: 'liveWatermark',
});

export const putLiveDefaultThumbnail = defineUpload(
  {
    name: 'putLiveDefaultThumbnail',
    path: PATHS.liveThumbnail,
    description:
      'Sets the picture of live streams that are created from now on in a library, until they are given their own.',
    picture: 'liveThumbnail',
  },
  makeJpeg,
);

export const deleteLiveDefaultThumbnail = defineRemoval({
  name: 'deleteLiveDefaultThumbnail',
  path: PATHS.liveThumbnail,
  description: 'Deletes the picture that new live streams of a library begin with; those that have it keep it.',
  picture: 'liveThumbnail',
});

/** An operation that takes a picture of a library as its body. */
function defineUpload({ picture, ...contract }: Wanted, make: Make) {
  return defineOperation({
    ...contract,
    method: 'PUT',
    auth: 'account-key',
    params: CoreLibraryParams,
    body: 'raw',
    answer: null,
    answerStatus: 204,
    refusals: { invalid: 400, 'not-found': 404 },
    errorShape: 'core',
    async run({ params: { id }, body, signal }, deps: Deps) {
      const library = await deps.libraries.find(id);
      if (library === null) throw new Refused('not-found', `There is no library ${id}. Check the id.`);
      const sent = await readBytes(body, { what: 'a picture', limitBytes: PICTURE_LIMIT_BYTES });
      await keepPicture({ library, picture, bytes: await make(sent, deps.pictures, signal) }, deps, signal);
      return null;
    },
  });
}

/** An operation that takes a picture of a library away. */
function defineRemoval({ picture, ...contract }: Wanted) {
  return defineOperation({
    ...contract,
    method: 'DELETE',
    auth: 'account-key',
    params: CoreLibraryParams,
    answer: null,
    answerStatus: 204,
    refusals: { 'not-found': 404 },
    errorShape: 'core',
    async run({ params: { id }, signal }, deps: Deps) {
      await removePicture({ libraryId: id, picture }, deps, signal);
      return null;
    },
  });
}
