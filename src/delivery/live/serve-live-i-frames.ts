import { readFragment } from '../../media/cmaf/fragment.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import { writeIFrameHead } from '../../media/hls/i-frame.ts';
import { iFrameAddress } from '../../media/hls/i-frame-playlist.ts';
import { type PlaylistTag, writePlaylist } from '../../media/hls/playlist.ts';
import { type IndexedRendition, type IndexedSegment, programmeStartMs } from '../../media/live/playlist/live-index.ts';
import { discontinuitySequence } from '../../media/live/playlist/live-playlist.ts';
import {
  type ListedSegment,
  type LiveView,
  listSlot,
  targetDurationSec,
} from '../../media/live/playlist/slot-segments.ts';
import { storageKey } from '../../ports/storage.ts';
import type { IFrameLists } from '../hls/i-frame-lists.ts';
import { answerPicture } from '../hls/serve-i-frames.ts';
import { type Answer, CACHE_FOR_EVER, notFound } from '../http/answer.ts';
import type { WatchedStream } from './watched-stream.ts';

/**
 * Returns the I-frame playlist of a slot of a growing stream, or null if there is none. Each segment begins with a
 * keyframe.
 */
export function liveIFrameList(
  stream: WatchedStream,
  { rendition: { id, slot }, view, hasEnded }: { rendition: IndexedRendition; view: LiveView; hasEnded: boolean },
): string | null {
  const listed = listSlot(stream.index, slot, view).filter(({ segment }) => segment?.isClosed !== false);
  const [first] = listed;
  if (first === undefined) return null;
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'target-duration', sec: targetDurationSec(stream.index, slot, view) },
    { tag: 'media-sequence', number: first.sequence },
    { tag: 'discontinuity-sequence', number: discontinuitySequence(stream.index, first.period) },
    { tag: 'i-frames-only' },
  ];
  for (const [at, one] of listed.entries()) tags.push(...pictureTags(one, listed[at - 1] ?? null, id));
  return writePlaylist(hasEnded ? [...tags, { tag: 'end-list' }] : tags);
}

function pictureTags(one: ListedSegment, before: ListedSegment | null, folder: string): PlaylistTag[] {
  const { segment, rendition, durationSec, period } = one;
  const path = rendition.id === folder ? '' : `../${rendition.id}/`;
  const tags: PlaylistTag[] = [];
  // Adds one discontinuity per period, including periods without media, as in the media playlist.
  const passed = before === null ? 0 : period.number - before.period.number;
  for (let count = 0; count < passed; count += 1) tags.push({ tag: 'discontinuity' });
  if (before?.period !== period) tags.push({ tag: 'map', uri: `${path}init.mp4` });
  if (segment === null) tags.push({ tag: 'gap' });
  const startMs = programmeStartMs(period);
  if (segment !== null && startMs !== null && before?.period !== period) {
    tags.push({ tag: 'program-date-time', timeMs: startMs + (segment.startTick * 1000) / rendition.timescale });
  }
  return [...tags, { tag: 'segment', durationSec, uri: `${path}${iFrameAddress(segment?.startTick ?? 0)}` }];
}

/** Serves the keyframe at the start of a segment as a segment. */
export async function serveLiveIFrame(
  rendition: IndexedRendition,
  startTick: number,
  iFrames: IFrameLists,
): Promise<Answer> {
  const segment = rendition.segments.find((one) => one.startTick === startTick && one.isClosed && !one.isGap);
  if (segment === undefined || rendition.kind !== 'video') return notFound('unknown-i-frame');
  const held = segment.parts[0]?.bytes ?? null;
  if (held !== null) return answerHeld(rendition, segment, held);
  if (segment.stored === null) return notFound('unknown-i-frame');
  const chunk = { startTick, durationTicks: segment.durationTicks, storageKey: storageKey(segment.stored.storageKey) };
  const found = await iFrames.find({ chunks: [chunk] }, startTick);
  return found === null ? notFound('unknown-i-frame') : answerPicture(rendition, found);
}

function answerHeld(
  { id, init }: IndexedRendition,
  { startTick, durationTicks }: IndexedSegment,
  part: Buffer,
): Answer {
  const { samples, payload } = readFragment(part);
  const sizeBytes = samples[0]?.sizeBytes ?? 0;
  const frame = { startTick, durationTicks, startByte: 0, endByte: sizeBytes - 1, sample: 0 };
  const head = writeIFrameHead(frame, readInitSegment(init).delayTicks);
  return {
    kind: 'bytes',
    bytes: Buffer.concat([head, payload.subarray(0, sizeBytes)]),
    contentType: 'video/mp4',
    cacheControl: CACHE_FOR_EVER,
    etag: `"${id}-i${startTick}"`,
  };
}
