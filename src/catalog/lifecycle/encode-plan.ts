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
  /** Its init segment, if known before a chunk is stored. */
  listed: { init: Buffer; codecString: string } | null;
  /** A fragment table with one entry per segment, if the whole timeline is listed before its chunks are stored. */
  plannedSegments: Buffer | null;
  /** Its segments are made on request; its encode tasks only fill in the rest. */
  isOnDemand: boolean;
};

/** A timeline and everything to encode on it. */
export type PlannedTimeline = {
  id: Guid;
  cutList: CutList;
  /** True: active immediately. False: replaces the active timeline when it is complete. */
  isActive: boolean;
  renditions: readonly PlannedRendition[];
  tasks: readonly EncodeTask[];
};

/** Facts that planning found about a video, and its decisions. */
export type EncodePlan = {
  facts: SourceFacts;
  durationMs: number;
  /** True if some of its renditions are encoded on demand. */
  isOnDemand: boolean;
  timelines: readonly PlannedTimeline[];
  messages: readonly MediaMessage[];
};

/** Returns the key group of a rendition: audio, or video below 720p or from 720p on. */
export function keyGroupOf(kind: 'video' | 'audio', rung: number | null): 'audio' | 'sd' | 'hd' {
  if (kind === 'audio') return 'audio';
  return (rung ?? 0) >= 720 ? 'hd' : 'sd';
}
