import type { VideoModel } from '../../../src/api/models/video.ts';
import type { PlayerLink } from './player-frame.tsx';

/** Properties of every tab. */
export type PartProps = { libraryId: number; path: string; video: VideoModel; link: PlayerLink; onChanged: () => void };
