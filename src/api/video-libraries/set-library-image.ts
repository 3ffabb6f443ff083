import { IMAGE_LIMIT_BYTES, type LibraryImage } from '../../catalog/libraries/library-image.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import type { ImageMaker } from '../../media/images/run-image-maker.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { CoreLibraryParams } from './core-library.ts';
import { keepImage, removeImage } from './stored-image.ts';

type Deps = { libraries: LibraryStore; storage: Storage; images: ImageMaker };
type Wanted = { name: string; path: string; description: string; image: LibraryImage };
/** Converts the sent image to the stored one. */
type Make = (sent: Buffer, images: ImageMaker, signal: AbortSignal) => Promise<Buffer>;

const PATHS = {
  watermark: '/videolibrary/{id}/watermark',
  liveWatermark: '/videolibrary/{id}/live/watermark',
  liveThumbnail: '/videolibrary/{id}/live/thumbnail',
  logo: '/videolibrary/{id}/logo',
} as const satisfies Record<LibraryImage, string>;

const makeMark: Make = (sent, images, signal) => images.makeMark(sent, signal);
const makeJpeg: Make = async (sent, images, signal) => (await images.make(sent, signal)).jpeg;

export const putWatermark = defineUpload(
  {
    name: 'putWatermark',
    path: PATHS.watermark,
    description: 'Sets the watermark of a library. It is drawn on videos while they are encoded.',
    image: 'watermark',
  },
  makeMark,
);

export const deleteWatermark = defineRemoval({
  name: 'deleteWatermark',
  path: PATHS.watermark,
  description: 'Deletes the watermark of a library. Encoded videos keep it.',
  image: 'watermark',
});

export const putLiveWatermark = defineUpload(
  {
    name: 'putLiveWatermark',
    path: PATHS.liveWatermark,
    description:
      "Sets the watermark of a library's live streams, at the position of the video watermark. It applies to " +
      'publishers that connect after the change.',
    image: 'liveWatermark',
  },
  makeMark,
);

export const deleteLiveWatermark = defineRemoval({
  name: 'deleteLiveWatermark',
  path: PATHS.liveWatermark,
  description: "Deletes the watermark of a library's live streams. Connected publishers keep it.",
  image: 'liveWatermark',
});

export const putLiveDefaultThumbnail = defineUpload(
  {
    name: 'putLiveDefaultThumbnail',
    path: PATHS.liveThumbnail,
    description: "Sets the default image of a library's new live streams. A stream keeps it until it gets its own.",
    image: 'liveThumbnail',
  },
  makeJpeg,
);

export const deleteLiveDefaultThumbnail = defineRemoval({
  name: 'deleteLiveDefaultThumbnail',
  path: PATHS.liveThumbnail,
  description: "Deletes the default image of a library's new live streams. Existing streams keep it.",
  image: 'liveThumbnail',
});

/** Not part of the hosted API. */
export const putLogo = defineUpload(
  { name: 'putLogo', path: PATHS.logo, description: 'Sets the logo of the share pages of a library.', image: 'logo' },
  makeMark,
);

/** Not part of the hosted API. */
export const deleteLogo = defineRemoval({
  name: 'deleteLogo',
  path: PATHS.logo,
  description: 'Deletes the logo of the share pages of a library.',
  image: 'logo',
});

/** Defines an operation that takes an image of a library as its body. */
function defineUpload({ image, ...contract }: Wanted, make: Make) {
  return defineOperation({
    ...contract,
    method: 'PUT',
    auth: 'account-key',
    permission: 'library.manage',
    params: CoreLibraryParams,
    body: 'raw',
    answer: null,
    answerStatus: 204,
    refusals: { invalid: 400, 'not-found': 404 },
    errorShape: 'core',
    async run({ params: { id }, body, signal }, deps: Deps) {
      const library = await deps.libraries.findLibrary(id);
      if (library === null) throw new Refused('not-found', `Library ${id} not found. Check the id.`);
      const sent = await readBytes(body, { what: 'an image', limitBytes: IMAGE_LIMIT_BYTES });
      await keepImage({ library, image, bytes: await make(sent, deps.images, signal) }, deps, signal);
      return null;
    },
  });
}

/** Defines an operation that removes an image of a library. */
function defineRemoval({ image, ...contract }: Wanted) {
  return defineOperation({
    ...contract,
    method: 'DELETE',
    auth: 'account-key',
    permission: 'library.manage',
    params: CoreLibraryParams,
    answer: null,
    answerStatus: 204,
    refusals: { 'not-found': 404 },
    errorShape: 'core',
    async run({ params: { id }, signal }, deps: Deps) {
      await removeImage({ libraryId: id, image }, deps, signal);
      return null;
    },
  });
}
