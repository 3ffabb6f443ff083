import { Type } from 'typebox';
import { guidParam, LibraryParams } from '../read-params.ts';

/** Parameters of all operations on one video in the trash. */
export const TrashParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video in the trash') });
