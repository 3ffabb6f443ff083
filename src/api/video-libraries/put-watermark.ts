import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { WATERMARK_LIMIT_BYTES } from '../../catalog/libraries/watermark.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import type { PictureMaker } from '../../media/images/run-picture.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { NoQuery } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';
import { keepPicture } from './stored-picture.ts';

type Deps = { libraries: LibraryStore; storage: Storage; pictures: PictureMaker };

export const putWatermark = defineOperation({
  name: 'putWatermark',
  method: 'PUT',
  path: '/videolibrary/{id}/watermark',
  description: 'Sets the picture that is drawn over videos of a library while they are encoded.',
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
    await keepPicture({ library, picture: 'watermark', bytes }, deps, signal);
    return null;
  },
});
