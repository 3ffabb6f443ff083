import type { Guid } from '../../lib/guid.ts';
import type { Piece } from '../../media/compose/plan-pieces.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { Json } from '../account-schema.ts';
import type { StoredWatermark } from '../images/image-schema.ts';

/** Composition of a video: its segments in order, and the video and grid of each part. */
export type Recipe = {
  timescale: number;
  /** `watermark` is burned into the part's frames, so the frames encoded for its ends need it too. */
  parts: readonly { mediaId: Guid; grid: CutList['grid']; endTicks: number; watermark?: StoredWatermark }[];
  pieces: readonly Piece[];
  /**
   * Expected bytes of the segments. A storage quota counts them until they are stored. Absent in rows from before
   * quotas.
   */
  estimatedBytes?: number;
};

export type CompositionTable = { library_id: number; media_id: Guid; recipe: Json<Recipe> };
