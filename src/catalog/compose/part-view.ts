import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { PlannedRendition } from '../lifecycle/encode-plan.ts';

/** The fields of an active, finished rendition that are needed to take parts of it. */
export type PartRendition = Omit<PlannedRendition, 'listed' | 'plannedSegments' | 'isOnDemand'> & {
  codecString: string;
  init: Buffer;
};

/** A video to take a part from. Its renditions are sorted: video first, highest first. */
export type PartView = {
  mediaId: Guid;
  facts: SourceFacts;
  hasOriginal: boolean;
  /**
   * True for live streams: their audio is cut at the video's cut points, and they have no original to encode the ends
   * from.
   */
  isRecorded: boolean;
  cutList: CutList;
  renditions: readonly PartRendition[];
};
