import { Type } from 'typebox';
import { guidParam, LibraryParams } from '../read-params.ts';

/** A library and a video of it, as the addresses of licences name them. */
export const VideoPathParams = Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') });
