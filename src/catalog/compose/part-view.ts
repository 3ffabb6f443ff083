import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { RenditionPlan } from '../schema.ts';

/** A finished rendition that is shown, as far as taking parts of it goes. */
export type PartRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  origin: 'encode' | 'pass-through';
  codec: string;
  rung: number | null;
  language: string;
  name: string;
  isDefault: boolean;
  timescale: number;
  widthPx: number | null;
  heightPx: number | null;
  codecString: string;
  init: Buffer;
  plan: RenditionPlan;
};

/** A video of which a part is wanted. Renditions: pictures first, the highest first. */
export type PartView = {
  mediaId: Guid;
  facts: SourceFacts;
  hasOriginal: boolean;
  /** Of a live stream: its sound is cut where its pictures are, and there is nothing to encode ends from. */
  isRecorded: boolean;
  cutList: CutList;
  renditions: readonly PartRendition[];
};
