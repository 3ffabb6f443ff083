import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { PlannedRendition } from '../lifecycle/encode-plan.ts';

/** A finished rendition that is active, as far as taking parts of it goes. */
export type PartRendition = Omit<PlannedRendition, 'listed' | 'plannedSegments' | 'isOnDemand'> & {
  codecString: string;
  init: Buffer;
};

/** A video of which a part is wanted. Renditions: pictures first, the highest first. */
export type PartView = {
  mediaId: Guid;
  facts: SourceFacts;
  hasOriginal: boolean;
  /** Of a live stream: its audio is cut where its pictures are, and there is nothing to encode ends from. */
  isRecorded: boolean;
  cutList: CutList;
  renditions: readonly PartRendition[];
};
