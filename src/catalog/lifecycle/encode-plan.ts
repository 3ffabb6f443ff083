import type { Guid } from '../../lib/guid.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { CutList } from '../../media/timeline/cut-list.ts';
import type { RenditionPlan } from '../rendition-plan.ts';
import type { MediaMessage } from '../schema.ts';
import type { EncodeTask } from '../tasks/encode-task.ts';

/** A rendition to create. `plan` is the encoder's input; it is stored in the row unchanged. */
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
  /** Init segment, if known before the first chunk is stored. */
  listed: { init: Buffer; codecString: string } | null;
  /** Fragment table with one entry per segment, if playlists list the whole timeline before its chunks are stored. */
  plannedSegments: Buffer | null;
  /** True if segments are encoded on request. The encode tasks only create the remaining ones. */
  isOnDemand: boolean;
};

/** A timeline and the renditions and encode tasks to create on it. */
export type PlannedTimeline = {
  id: Guid;
  cutList: CutList;
  /** True if the timeline becomes active immediately. If false, it replaces the active timeline when it is complete. */
  isActive: boolean;
  renditions: readonly PlannedRendition[];
  tasks: readonly EncodeTask[];
};

/** Facts about a video and decisions from planning. */
export type EncodePlan = {
  facts: SourceFacts;
  durationMs: number;
  /** True if some of its renditions are encoded on demand. */
  isOnDemand: boolean;
  timelines: readonly PlannedTimeline[];
  messages: readonly MediaMessage[];
};

/** Returns the key group of a rendition: audio, video below 720p (`sd`), or video from 720p upwards (`hd`). */
export function keyGroupOf(kind: 'video' | 'audio', rung: number | null): 'audio' | 'sd' | 'hd' {
  if (kind === 'audio') return 'audio';
  return (rung ?? 0) >= 720 ? 'hd' : 'sd';
}
