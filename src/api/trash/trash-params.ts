import { Type } from 'typebox';
import { guidParam, LibraryParams } from '../read-params.ts';

/** What all operations on one video in the trash share. */
export const TrashParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video in the trash') });
