import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { PlannedRendition } from '../lifecycle/encode-plan.ts';

/** Fields of an active, finished rendition that are needed to take parts of it. */
export type PartRendition = Omit<PlannedRendition, 'listed' | 'plannedSegments' | 'isOnDemand'> & {
  codecString: string;
  init: Buffer;
  storageBytes: number;
};

/** A video to take a part from. Its renditions are sorted: video before audio, highest first. */
export type PartView = {
  mediaId: Guid;
  facts: SourceFacts;
  hasOriginal: boolean;
  hasThumbnail: boolean;
  /**
   * True for live streams. Their audio is cut where the video is cut, and they have no original from which the ends of
   * a part could be encoded.
   */
  isRecorded: boolean;
  cutList: CutList;
  renditions: readonly PartRendition[];
};
