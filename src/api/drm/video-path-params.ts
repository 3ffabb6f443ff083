import { Type } from 'typebox';
import { guidParam, LibraryParams } from '../read-params.ts';

/** Path parameters of licence operations: a library and one of its videos. */
export const VideoPathParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
