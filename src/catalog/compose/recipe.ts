import type { Guid } from '../../lib/guid.ts';
import type { Piece } from '../../media/compose/plan-pieces.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Json } from '../account-schema.ts';
import type { StoredWatermark } from '../images/image-schema.ts';

/** What a video that is put together is made of: its segments in order, and of each part the video and its grid. */
export type Recipe = {
  timescale: number;
  /** `watermark` is in the pictures of the part, and so in those that are encoded for its ends. */
  parts: readonly { mediaId: Guid; grid: CutList['grid']; endTicks: number; watermark?: StoredWatermark }[];
  pieces: readonly Piece[];
};

export type CompositionTable = { library_id: number; media_id: Guid; recipe: Json<Recipe> };
