import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { MediaMessage, RenditionPlan } from '../schema.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';

/** A rendition to make. `plan` is what its encoder is given; it is kept in the row as it is. */
export type PlannedRendition = {
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
  plan: RenditionPlan;
  /** Its init segment, where that is known before a chunk is stored. */
  listed: { init: Buffer; codecString: string } | null;
  /** A fragment table of one entry a segment, where the whole timeline is listed before its chunks are stored. */
  plannedSegments: Buffer | null;
  /** Its segments are made when they are requested; encode tasks of it only fill in the rest. */
  isOnDemand: boolean;
};

/** A timeline with all that is to be made on it. */
export type PlannedTimeline = {
  id: Guid;
  cutList: CutList;
  /** Active at once; else it takes the place of what is active when it is complete. */
  isActive: boolean;
  renditions: readonly PlannedRendition[];
  tasks: readonly EncodeTask[];
};

/** All that planning found out and decided for a video. */
export type EncodePlan = {
  facts: SourceFacts;
  durationMs: number;
  /** Some of its renditions are encoded on demand. */
  isOnDemand: boolean;
  timelines: readonly PlannedTimeline[];
  messages: readonly MediaMessage[];
};

/** The key group of a rendition: audio, and pictures below and from 720p on. */
export function keyGroupOf(kind: 'video' | 'audio', rung: number | null): 'audio' | 'sd' | 'hd' {
  if (kind === 'audio') return 'audio';
  return (rung ?? 0) >= 720 ? 'hd' : 'sd';
}
