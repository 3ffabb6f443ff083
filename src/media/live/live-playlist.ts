import type { Guid } from '../../lib/guid.ts';
import type { PlaylistTag } from '../hls/playlist-tags.ts';
import {
  findSegment,
  type IndexedPeriod,
  type IndexedRendition,
  type IndexedSegment,
  isRung,
  type LiveIndex,
} from './live-index.ts';
import { PART_TARGET_SEC } from './part-writer.ts';

/** What a viewer gets to see of a stream. */
export type LiveView = {
  /** How far back the playlist reaches, seconds. */
  windowSec: number;
  /** Media from before the start is shown instead. */
  isPreview: boolean;
};

/** A segment of a slot (sound, or one size of the pictures) with its place in the stream. */
export type ListedSegment = {
  sequence: number;
  period: IndexedPeriod;
  rendition: IndexedRendition;
  /** Null: this rendition has nothing there. */
  segment: IndexedSegment | null;
  durationSec: number;
};

const LISTED_PARTS_SEGMENTS = 3;
const SHORTEST_TARGET_SEC = 2;
/** Wall times that differ by less from what durations say are the same clock. */
const CLOCK_STEP_MS = 250;

/** The segments that a viewer may see of a slot, oldest first; the last may be open. */
export function listSlot(index: LiveIndex, slot: string, { windowSec, isPreview }: LiveView): ListedSegment[] {
  const periods = index.periods.filter((period) => period.isPreview === isPreview);
  const newest = index.hasEnded ? undefined : periods.at(-1);
  const all = periods.flatMap((period) => {
    const rendition = renditionFor(period, slot, period.isLadderPending && period === newest);
    return rendition === undefined ? [] : listPeriod(period, rendition);
  });
  let sec = 0;
  const first = all.findLastIndex(({ durationSec }) => {
    sec += durationSec;
    return sec > windowSec;
  });
  // At least three target durations stay (RFC 8216 section 6.2.2), whatever the window.
  return all.slice(Math.min(first + 1, Math.max(0, all.length - 4)));
}

/**
 * The rendition that stands for a slot in a period: where a rung was not encoded, the pictures as they came. While rungs
 * are about to come there is none: what a player was shown of the source would vanish again.
 */
function renditionFor({ renditions }: IndexedPeriod, slot: string, isPending: boolean): IndexedRendition | undefined {
  const found = renditions.find((one) => one.slot === slot);
  if (found !== undefined || slot === 'audio' || isPending) return found;
  return renditions.find((one) => one.slot === 'source');
}

function listPeriod(period: IndexedPeriod, rendition: IndexedRendition): ListedSegment[] {
  // A rung that began late has gaps before, or the numbers of all that follows an earlier period were too low.
  const source = isRung(rendition.slot) ? period.renditions.find(({ slot }) => slot === 'source') : undefined;
  const first = source?.segments[0]?.number;
  const listed: ListedSegment[] = [];
  for (const known of rendition.segments) {
    // One that never ended, and was followed: its encoder died.
    const isLost = known.isGap || (!known.isClosed && known !== rendition.segments.at(-1));
    const previous = listed.at(-1);
    const expected = previous === undefined ? (first ?? known.number) : previous.sequence - period.firstSequence + 1;
    for (let missing = expected; missing < known.number; missing += 1) {
      const sequence = period.firstSequence + missing;
      listed.push({ sequence, period, rendition, segment: null, durationSec: missingSec(period, missing) });
    }
    const sequence = period.firstSequence + known.number;
    const durationSec = isLost ? missingSec(period, known.number) : known.durationTicks / rendition.timescale;
    listed.push({ sequence, period, rendition, segment: isLost ? null : known, durationSec });
  }
  return listed;
}

/** What another rendition of the period says of a segment that this one lacks. */
function missingSec({ renditions }: IndexedPeriod, number: number): number {
  for (const { segments, timescale } of renditions) {
    const segment = findSegment(segments, number);
    if (segment?.isGap === false) return segment.durationTicks / timescale;
  }
  return SHORTEST_TARGET_SEC;
}

/** EXT-X-TARGETDURATION: the longest segment so far, rounded; it only rises. */
export function targetDurationSec(listed: readonly ListedSegment[]): number {
  return Math.max(SHORTEST_TARGET_SEC, ...listed.map(({ durationSec }) => Math.round(durationSec)));
}

/** The newest media of a slot: sequence and part as in EXT-X-RENDITION-REPORT; `part` null when the segment is whole. */
export function newestOf(listed: readonly ListedSegment[]): { sequence: number; part: number | null } | null {
  const last = listed.at(-1);
  if (last === undefined) return null;
  if (last.segment === null || last.segment.isClosed) return { sequence: last.sequence, part: null };
  return { sequence: last.sequence, part: last.segment.parts.length - 1 };
}

/** Whether the playlist holds what a blocking request waits for (RFC 8216bis section 6.2.5.2). */
export function holds(listed: readonly ListedSegment[], wanted: { sequence: number; part: number | null }): boolean {
  const newest = newestOf(listed);
  if (newest === null || newest.sequence < wanted.sequence) return false;
  if (newest.sequence > wanted.sequence || newest.part === null) return true;
  return wanted.part !== null && newest.part >= wanted.part;
}

export type PlaylistRequest = {
  slot: string;
  /** The rendition whose folder the playlist is in. */
  folder: Guid;
  view: LiveView;
  /** `_HLS_skip`: leave out what the client has already. */
  isDelta: boolean;
  hasEnded: boolean;
  protection: LiveProtection;
};

/** How the media of a stream is given out. */
export type LiveProtection = {
  /** Where init and media segments of a rendition lie, from the playlist of `own`: empty or ending in `/`. */
  folder(id: Guid, own: Guid): string;
  /** Whether there are partial segments: what is encrypted as a whole has none. */
  hasParts: boolean;
  /** EXT-X-KEY lines of a rendition. */
  keyLines(rendition: IndexedRendition): readonly string[];
};

/** Writes the media playlist of a slot over all periods in the window. Null while there is nothing to list. */
export function livePlaylist(index: LiveIndex, request: PlaylistRequest): PlaylistTag[] | null {
  const { hasParts } = request.protection;
  const all = listSlot(index, request.slot, request.view);
  const listed = hasParts || request.hasEnded ? all : all.filter(({ segment }) => segment?.isClosed !== false);
  const [first] = listed;
  if (first === undefined) return null;
  const targetSec = targetDurationSec(listed);
  const skipped = request.isDelta ? skippable(listed, 6 * targetSec) : 0;
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 9 },
    { tag: 'target-duration', sec: targetSec },
    {
      tag: 'server-control',
      canBlockReload: true,
      canSkipUntilSec: 6 * targetSec,
      ...(hasParts && { partHoldBackSec: 3 * PART_TARGET_SEC }),
      holdBackSec: 3 * targetSec,
    },
    ...(hasParts ? [{ tag: 'part-inf', targetSec: PART_TARGET_SEC } as const] : []),
    { tag: 'media-sequence', number: first.sequence },
    { tag: 'discontinuity-sequence', number: discontinuitySequence(index, first.period) },
    { tag: 'independent-segments' },
  ];
  if (skipped > 0) tags.push({ tag: 'skip', segments: skipped });
  let before: ListedSegment | null = null;
  listed.forEach((one, at) => {
    const withParts = hasParts && at >= listed.length - LISTED_PARTS_SEGMENTS;
    const isOpen = !request.hasEnded && at === listed.length - 1 && one.segment?.isClosed === false;
    if (at >= skipped) tags.push(...segmentTags(one, before, { withParts, isOpen }, request));
    before = one;
  });
  if (request.hasEnded) return [...tags, { tag: 'end-list' }];
  const last = listed.at(-1);
  if (last !== undefined && hasParts) tags.push(preloadHint(last, request));
  return hasParts ? [...tags, ...reports(index, request)] : tags;
}

function skippable(listed: readonly ListedSegment[], untilSec: number): number {
  let sec = 0;
  return (
    listed.findLastIndex(({ durationSec }) => {
      sec += durationSec;
      return sec > untilSec;
    }) + 1
  );
}

/** Discontinuities before a period: one with each period of the same kind that came before it. */
function discontinuitySequence(index: LiveIndex, first: IndexedPeriod): number {
  const alike = index.periods.filter(({ isPreview }) => isPreview === first.isPreview);
  return Math.max(0, first.number - (alike[0]?.number ?? 0));
}

function segmentTags(
  one: ListedSegment,
  before: ListedSegment | null,
  { withParts, isOpen }: { withParts: boolean; isOpen: boolean },
  request: PlaylistRequest,
): PlaylistTag[] {
  const { segment, rendition, durationSec } = one;
  const tags: PlaylistTag[] = [];
  const isNewPeriod = before?.period !== one.period;
  if (isNewPeriod && before !== null) tags.push({ tag: 'discontinuity' });
  if (isNewPeriod) {
    const keys = request.protection.keyLines(rendition);
    // The key before must not count for the next init segment, which is clear.
    if (before !== null && keys.length > 0) tags.push({ tag: 'key', line: '#EXT-X-KEY:METHOD=NONE' });
    tags.push({ tag: 'map', uri: `${folderOf(rendition, request)}init.mp4` });
    tags.push(...keys.map((line) => ({ tag: 'key', line }) as const));
  }
  if (segment === null) {
    return [
      ...tags,
      { tag: 'gap' },
      {
        tag: 'segment',
        durationSec,
        uri: `${folderOf(rendition, request)}${one.sequence - one.period.firstSequence}.m4s`,
      },
    ];
  }
  if (segment.wallMs !== null && (isNewPeriod || isClockStep(before, segment.wallMs))) {
    tags.push({ tag: 'program-date-time', timeMs: segment.wallMs });
  }
  const folder = folderOf(rendition, request);
  if (withParts && !request.hasEnded) {
    segment.parts.forEach((part, number) => {
      tags.push({
        tag: 'part',
        durationSec: part.durationTicks / rendition.timescale,
        isIndependent: part.isIndependent,
        uri: `${folder}${segment.number}.${number}.m4s`,
      });
    });
  }
  if (!isOpen) tags.push({ tag: 'segment', durationSec, uri: `${folder}${segment.number}.m4s` });
  return tags;
}

function isClockStep(before: ListedSegment | null, wallMs: number): boolean {
  const previous = before?.segment;
  if (before === null || previous === null || previous === undefined || previous.wallMs === null) return true;
  return Math.abs(previous.wallMs + before.durationSec * 1000 - wallMs) > CLOCK_STEP_MS;
}

function preloadHint({ rendition, segment, sequence, period }: ListedSegment, request: PlaylistRequest): PlaylistTag {
  const isOpen = segment !== null && !segment.isClosed;
  const number = isOpen ? segment.number : sequence - period.firstSequence + 1;
  const part = isOpen ? segment.parts.length : 0;
  return { tag: 'preload-hint', type: 'PART', uri: `${folderOf(rendition, request)}${number}.${part}.m4s` };
}

function reports(index: LiveIndex, { slot, view }: PlaylistRequest): PlaylistTag[] {
  const renditions = index.periods.at(-1)?.renditions ?? [];
  return renditions
    .filter((rendition) => rendition.slot !== slot)
    .flatMap((rendition): PlaylistTag[] => {
      const newest = newestOf(listSlot(index, rendition.slot, view));
      if (newest === null) return [];
      const uri = `../${rendition.id}/video.m3u8`;
      return [{ tag: 'rendition-report', uri, lastSequence: newest.sequence, lastPart: newest.part }];
    });
}

function folderOf({ id }: IndexedRendition, { folder, protection }: PlaylistRequest): string {
  return protection.folder(id, folder);
}
