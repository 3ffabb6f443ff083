import type { MediaKey } from '../../catalog/db.ts';
import type { PlannedRendition } from '../../catalog/encoding/encode-plan.ts';
import { FILL_STEP, type Work, workPriority, workWeight } from '../../catalog/encoding/work.ts';
import type { WorkKind } from '../../catalog/encoding/work-kind.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { countAudioSegments } from '../../media/cmaf/sound-grid.ts';
import { START_RUNG_LIMIT } from '../../media/hls/multivariant.ts';
import { type ChunkRange, planChunks, planEvenChunks } from '../../media/timeline/chunk-plan.ts';
import { type CutList, segmentStartTicks } from '../../media/timeline/cut-list.ts';

/** Where works are planned: the timeline, and how long the video is. */
export type Place = { key: MediaKey; timelineId: Guid; cutList: CutList; durationSec: number };

/** Chunks that one copying work takes, about four minutes: bounds how long it holds its slot. */
const COPIED_CHUNKS = 8;

/** How far works of a further codec stand behind those that make a video play at all: as much as a video 180 times longer. */
const FURTHER_CODEC_STEP = 300;

/** Sound segments, about a minute, that are encoded in a slot for quick work; the rest of a long track goes the long way. */
const QUICK_AUDIO_SEGMENTS = 16;

/** Copies the source's segments: first the first chunk, alone, then several chunks a work, in order. */
export function passThroughWorks(place: Place, renditions: readonly PlannedRendition[]): Work[] {
  const ids = renditions.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [first, ...rest] = planChunks(place.cutList);
  const ranges = first === undefined ? [] : [first];
  for (let at = 0; at < rest.length; at += COPIED_CHUNKS) {
    const group = rest.slice(at, at + COPIED_CHUNKS);
    ranges.push({ fromSegment: group[0]?.fromSegment ?? 0, toSegment: group.at(-1)?.toSegment ?? 0 });
  }
  return ranges.map((range, index) => ({
    ...base(place, 'pass-through', range),
    renditionIds: ids,
    isFirst: index === 0,
    lane: 'quick',
    priority: workPriority(index === 0, 1, range.fromSegment),
    weight: workWeight('pass-through', 0, rangeSec(place.cutList, range)),
  }));
}

/** Encodes the rungs under a source that is shown already: their first chunk early, if that is wanted, then the rest. */
export function encodedWorks(place: Place, renditions: readonly PlannedRendition[], isEarly: boolean): Work[] {
  if (renditions.length === 0) return [];
  return planChunks(place.cutList).map((range, index) => videoWork(place, renditions, range, isEarly && index === 0));
}

/** Encodes the rungs of a further codec: all in long slots, after what the base codec still has to do. */
export function codecWorks(place: Place, renditions: readonly PlannedRendition[]): Work[] {
  return encodedWorks(place, renditions, false).map((work) => ({
    ...work,
    priority: Math.max(0, work.priority - FURTHER_CODEC_STEP),
  }));
}

/** Puts works behind all that anybody asked for, in the order that they have. */
export function asFill(works: readonly Work[]): Work[] {
  return works.map((work) => ({ ...work, kind: 'fill', priority: work.priority - FILL_STEP }));
}

/**
 * Encodes a ladder of which nothing can be shown yet: the lowest rung's first segment alone, and all rungs together in
 * chunks. The first of these makes that segment once more, which costs less than a decode of it for the others alone.
 */
export function frameGridWorks(place: Place, renditions: readonly PlannedRendition[]): Work[] {
  const lowest = renditions.at(-1);
  if (lowest === undefined) return [];
  const first = { fromSegment: 0, toSegment: 1 };
  const others = renditions.slice(0, -1);
  const ranges = planEvenChunks(place.cutList, others.length > 0 ? 0 : first.toSegment);
  const works = ranges.map((range) => videoWork(place, range.toSegment === 1 ? others : renditions, range, false));
  return [videoWork(place, [lowest], first, true), ...works];
}

/**
 * Prepares a ladder that is encoded on demand: what lists it, the first segment of the rung that players begin with,
 * and behind all else what nobody asked for.
 */
export function onDemandWorks(place: Place, renditions: readonly PlannedRendition[]): Work[] {
  const first = { fromSegment: 0, toSegment: 1 };
  const begun = renditions.find(({ rung }) => (rung ?? 0) <= START_RUNG_LIMIT) ?? renditions.at(-1);
  const start: Work = {
    ...base(place, 'jit-start', first),
    renditionIds: renditions.map(({ id }) => id),
    isFirst: true,
    lane: 'quick',
    priority: workPriority(true, 1, 0) + 1,
    weight: workWeight('jit-start', 0, 0),
  };
  const rest = asFill(encodedWorks(place, renditions, false));
  return [start, ...(begun === undefined ? [] : [videoWork(place, [begun], first, true)]), ...rest];
}

/**
 * Encodes sound tracks: the beginning at once, the rest of a long one in a slot for long work, before that of others
 * where pictures can be had from the start (`isUrgent`).
 */
export function audioWorks(place: Place, renditions: readonly PlannedRendition[], isUrgent: boolean): Work[] {
  const total = countAudioSegments(place.durationSec);
  const quickEnd = Math.min(total, QUICK_AUDIO_SEGMENTS);
  const ranges = [{ fromSegment: 0, toSegment: quickEnd }];
  if (quickEnd < total) ranges.push({ fromSegment: quickEnd, toSegment: total });
  return renditions.flatMap(({ id, isDefault }) =>
    ranges.map((range, index) => ({
      ...base(place, 'audio', range),
      renditionIds: [id],
      isFirst: index === 0,
      lane: index === 0 ? ('quick' as const) : ('long' as const),
      priority: workPriority((index === 0 || isUrgent) && isDefault, place.durationSec, range.fromSegment),
      weight: workWeight('audio', 0, (place.durationSec * (range.toSegment - range.fromSegment)) / total),
    })),
  );
}

/** Puts pictures together: those that are copied in one work a chunk, the first early; those that are encoded behind them. */
export function composeWorks(
  place: Place,
  copied: readonly PlannedRendition[],
  made: readonly PlannedRendition[],
): Work[] {
  const ranges = planChunks(place.cutList);
  const works = (renditions: readonly PlannedRendition[], isEarly: boolean) =>
    renditions.length === 0
      ? []
      : ranges.map((range, index): Work => {
          const isFirst = isEarly && index === 0;
          const pixels = isEarly
            ? 0
            : renditions.reduce((sum, one) => sum + (one.widthPx ?? 0) * (one.heightPx ?? 0), 0);
          return {
            ...base(place, 'compose', range),
            renditionIds: renditions.map(({ id }) => id),
            isFirst,
            lane: isFirst ? 'quick' : 'long',
            priority: workPriority(isFirst, place.durationSec, range.fromSegment),
            weight: workWeight('compose', pixels, rangeSec(place.cutList, range)),
          };
        });
  return [...works(copied, true), ...works(made, copied.length === 0)];
}

/** Puts a sound together in one go: nothing of it is encoded. */
export function composeSoundWorks(place: Place, { id }: PlannedRendition): Work[] {
  const range = { fromSegment: 0, toSegment: countAudioSegments(place.durationSec) };
  return [
    {
      ...base(place, 'compose-sound', range),
      renditionIds: [id],
      isFirst: true,
      lane: 'quick',
      priority: workPriority(true, place.durationSec, 0),
      weight: workWeight('compose-sound', 0, place.durationSec),
    },
  ];
}

export function thumbnailWork(place: Place): Work {
  return {
    ...base(place, 'thumbnail', { fromSegment: 0, toSegment: 1 }),
    renditionIds: [],
    isFirst: false,
    lane: 'quick',
    priority: workPriority(false, 1, 0),
    weight: workWeight('thumbnail', 0, 0),
  };
}

function videoWork(place: Place, renditions: readonly PlannedRendition[], range: ChunkRange, isFirst: boolean): Work {
  const pixels = renditions.reduce((sum, { widthPx, heightPx }) => sum + (widthPx ?? 0) * (heightPx ?? 0), 0);
  return {
    ...base(place, 'video', range),
    renditionIds: renditions.map(({ id }) => id),
    isFirst,
    lane: isFirst ? 'quick' : 'long',
    priority: workPriority(isFirst, place.durationSec, range.fromSegment),
    weight: workWeight('video', pixels, rangeSec(place.cutList, range)),
  };
}

function base(place: Place, kind: WorkKind, range: ChunkRange) {
  return { key: place.key, id: newGuid(), timelineId: place.timelineId, kind, ...range };
}

function rangeSec(cutList: CutList, range: ChunkRange): number {
  const ticks = segmentStartTicks(cutList, range.toSegment) - segmentStartTicks(cutList, range.fromSegment);
  return ticks / cutList.timescale;
}
