import type { Guid } from '../../../lib/guid.ts';
import type { HlsKey } from '../../drm/signalling/hls-key.ts';
import type { PlaylistTag } from '../../hls/playlist.ts';
import { PART_HOLD_BACK_SEC, PART_TARGET_SEC } from '../packaging/part-writer.ts';
import { type IndexedPeriod, type IndexedRendition, type LiveIndex, programmeStartMs } from './live-index.ts';
import {
  isListedOpen,
  type ListedSegment,
  type LiveView,
  listTail,
  MIN_LISTED,
  type Span,
  spansOf,
  targetDurationSec,
} from './slot-segments.ts';

const LISTED_PARTS_SEGMENTS = 3;

export type PlaylistRequest = {
  slot: string;
  /** Rendition whose folder contains the playlist. */
  folder: Guid;
  view: LiveView;
  /** Whether to omit segments that the client already has (`_HLS_skip`). */
  isDelta: boolean;
  hasEnded: boolean;
  /**
   * Sequence number of the segment that is listed last and without EXTINF, although later ones exist (`findLatePlace`).
   * Null means the newest segment.
   */
  endSequence: number | null;
  protection: LiveProtection;
};

/** Protection of a stream's media on delivery. */
export type LiveProtection = {
  /**
   * Returns the folder of a rendition's init and media segments, relative to the playlist of `own`. It is empty or ends
   * with `/`.
   */
  folder(id: Guid, own: Guid): string;
  /** Whether partial segments are available. Segments encrypted as a whole have none. */
  hasParts: boolean;
  /** Returns the keys (EXT-X-KEY) of a rendition. */
  keys(rendition: IndexedRendition): readonly HlsKey[];
};

type ProgrammeClocks = ReadonlyMap<IndexedPeriod, number | null>;

/** Writes the media playlist of a slot over all periods in the window. Returns null if there is nothing to list. */
export function livePlaylist(index: LiveIndex, request: PlaylistRequest): PlaylistTag[] | null {
  const { slot, view, protection } = request;
  const { hasParts } = protection;
  const targetSec = targetDurationSec(index, slot, view);
  const spans = endSpansAt(spansOf(index, slot, view), request.endSequence);
  const all = request.isDelta ? listUntil(spans, 6 * targetSec) : listTail(spans, Number.POSITIVE_INFINITY);
  const listed = hasParts || request.hasEnded ? all : all.filter(({ segment }) => segment?.isClosed !== false);
  const [first] = spans;
  const [begin] = listed;
  if (first === undefined || begin === undefined) return null;
  const firstSequence = first.period.firstSequence + first.first;
  // All segments before the listed ones are skipped.
  const passed = begin.sequence - firstSequence;
  const skipped = request.isDelta ? skippable(listed, 6 * targetSec) : 0;
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 9 },
    { tag: 'target-duration', sec: targetSec },
    {
      tag: 'server-control',
      canBlockReload: true,
      canSkipUntilSec: 6 * targetSec,
      ...(hasParts && { partHoldBackSec: PART_HOLD_BACK_SEC }),
      holdBackSec: 3 * targetSec,
    },
    ...(hasParts ? [{ tag: 'part-inf', targetSec: PART_TARGET_SEC } as const] : []),
    { tag: 'media-sequence', number: firstSequence },
    { tag: 'discontinuity-sequence', number: discontinuitySequence(index, first.period) },
    { tag: 'independent-segments' },
  ];
  if (passed + skipped > 0) tags.push({ tag: 'skip', segments: passed + skipped });
  const clocks = clocksOf(spans, view);
  let before: ListedSegment | null = null;
  listed.forEach((one, position) => {
    const withParts = hasParts && position >= listed.length - LISTED_PARTS_SEGMENTS;
    const isLast = !request.hasEnded && position === listed.length - 1;
    const isEnd = request.endSequence !== null;
    const isOpen = isLast && one.segment !== null && (isEnd || isListedOpen(one.segment, hasParts));
    if (position >= skipped) tags.push(...segmentTags(one, before, { withParts, isOpen, clocks }, request));
    before = one;
  });
  if (request.hasEnded) return [...tags, { tag: 'end-list' }];
  const last = listed.at(-1);
  // Without a publisher, write no preload hint, because it may reconnect with different renditions.
  if (last !== undefined && hasParts && index.isConnected) tags.push(...preloadHint(last, request));
  return hasParts ? [...tags, ...reports(index, request)] : tags;
}

function endSpansAt(spans: readonly Span[], endSequence: number | null): readonly Span[] {
  if (endSequence === null) return spans;
  return spans
    .map((span) => ({ ...span, last: Math.min(span.last, endSequence - span.period.firstSequence) }))
    .filter(({ first, last }) => first <= last);
}

/** Returns the newest segments that together cover `sec` seconds. */
function listUntil(spans: readonly Span[], sec: number): ListedSegment[] {
  for (let count = Math.ceil(sec) + MIN_LISTED; ; count *= 2) {
    const listed = listTail(spans, count);
    const isEnough = skippable(listed, sec) > 0;
    if (isEnough || listed.length < count) return listed;
  }
}

/** Returns the number of segments that end before the last `untilSec` seconds. */
function skippable(listed: readonly ListedSegment[], untilSec: number): number {
  let afterSec = 0;
  const newest = listed.findLastIndex(({ durationSec }) => {
    const isOlder = afterSec >= untilSec;
    afterSec += durationSec;
    return isOlder;
  });
  return newest + 1;
}

/** Returns the number of discontinuities before a period: one per earlier period of the same kind. */
export function discontinuitySequence(index: LiveIndex, first: IndexedPeriod): number {
  const alike = index.periods.filter(({ isPreview }) => isPreview === first.isPreview);
  return Math.max(0, first.number - (alike[0]?.number ?? 0));
}

function segmentTags(
  one: ListedSegment,
  before: ListedSegment | null,
  { withParts, isOpen, clocks }: { withParts: boolean; isOpen: boolean; clocks: ProgrammeClocks },
  request: PlaylistRequest,
): PlaylistTag[] {
  const { segment, rendition, durationSec } = one;
  const tags: PlaylistTag[] = [];
  const isNewPeriod = before?.period !== one.period;
  // Add one discontinuity per period, including periods without media, because EXT-X-DISCONTINUITY-SEQUENCE counts them
  // all.
  const passed = before === null ? 0 : one.period.number - before.period.number;
  for (let count = 0; count < passed; count += 1) tags.push({ tag: 'discontinuity' });
  if (isNewPeriod) {
    const keys = request.protection.keys(rendition);
    // The previous key must not apply to the next init segment, which is clear.
    if (before !== null && keys.length > 0) tags.push({ tag: 'key', key: { method: 'NONE' } });
    tags.push({ tag: 'map', uri: `${folderOf(rendition, request)}init.mp4` });
    tags.push(...keys.map((key) => ({ tag: 'key', key }) as const));
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
  const clockMs = clocks.get(one.period) ?? null;
  if (clockMs !== null && (isNewPeriod || before?.segment === null)) {
    tags.push({ tag: 'program-date-time', timeMs: clockMs + (segment.startTick * 1000) / rendition.timescale });
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

/**
 * Returns the programme clock of each period. It continues evenly when publishers reconnect: players align playlists by
 * the clock, and a jump without EXT-X-DISCONTINUITY would misalign them. A range starts at the capture time of its
 * first segment.
 */
function clocksOf(spans: readonly Span[], { range }: LiveView): ProgrammeClocks {
  return new Map(
    spans.map(({ period, first }) => [period, programmeStartMs(period, range === undefined ? null : first)]),
  );
}

/** Returns the hint at the next part, if it is known which one it is. */
function preloadHint({ rendition, segment, sequence, period }: ListedSegment, request: PlaylistRequest): PlaylistTag[] {
  const isOpen = segment !== null && !segment.isClosed;
  if (isOpen && segment.parts.at(-1)?.mayBeLast === true) return [];
  const number = isOpen ? segment.number : sequence - period.firstSequence + 1;
  const part = isOpen ? segment.parts.length : 0;
  return [{ tag: 'preload-hint', type: 'PART', uri: `${folderOf(rendition, request)}${number}.${part}.m4s` }];
}

function reports(index: LiveIndex, { slot, view }: PlaylistRequest): PlaylistTag[] {
  const renditions = index.periods.at(-1)?.renditions ?? [];
  return renditions
    .filter((rendition) => rendition.slot !== slot)
    .flatMap((rendition): PlaylistTag[] => {
      const [newest] = listTail(spansOf(index, rendition.slot, view), 1);
      if (newest === undefined) return [];
      const uri = `../${rendition.id}/video.m3u8`;
      const parts = newest.segment?.parts.length ?? 0;
      // LAST-PART is required for a segment with parts, even a complete one (RFC 8216bis section 4.4.5.4).
      return [
        { tag: 'rendition-report', uri, lastSequence: newest.sequence, lastPart: parts === 0 ? null : parts - 1 },
      ];
    });
}

function folderOf({ id }: IndexedRendition, { folder, protection }: PlaylistRequest): string {
  return protection.folder(id, folder);
}
