import type { VideoModel } from '../../../src/api/models/video.ts';
import type { PlayerLink } from './player-frame.tsx';

/** What every tab is given. */
export type PartProps = { libraryId: number; path: string; video: VideoModel; link: PlayerLink; onChanged: () => void };
