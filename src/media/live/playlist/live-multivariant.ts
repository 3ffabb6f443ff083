import { readInitSegment } from '../../cmaf/init-segment.ts';
import type { HlsKey } from '../../drm/signalling/hls-key.ts';
import { MAX_BITRATES_BPS, RUNGS } from '../../encode/ladder.ts';
import { type PlaylistTag, writePlaylist } from '../../hls/playlist.ts';
import { averageOfSegments, peakOfWindows, type SizedSegment } from '../../presentation/peak-of-windows.ts';
import { type IndexedPeriod, type IndexedRendition, isRung, type LiveIndex } from './live-index.ts';
import { type LiveView, listSlot, MIN_TARGET_SEC, renditionFor } from './slot-segments.ts';

/** Assumed bit rate of the source until a segment is complete, in bits per second. It is typical of a 1080p stream. */
const UNKNOWN_BPS = 6_000_000;
const AUDIO_GROUP = 'audio';

/** URLs of media playlists, and the keys (EXT-X-SESSION-KEY) of renditions. */
export type LiveAddresses = {
  addresses: { media(id: string): string; iFrames(id: string): string };
  listsIFrames: boolean;
  sessionKeys(renditions: readonly IndexedRendition[]): readonly HlsKey[];
};

/**
 * Writes the multivariant playlist of a stream (RFC 8216 section 4.3.4): for the newest visible period while it runs,
 * and for all periods with `isOver`. Returns null if there is no period. Computes bit rates from the known segments.
 */
export function liveMultivariant(
  index: LiveIndex,
  view: LiveView,
  ways: LiveAddresses & { isOver: boolean },
): string | null {
  // A period whose publisher disconnected before its first segment cannot represent the other periods.
  const hasMedia = ({ renditions }: IndexedPeriod) => !ways.isOver || renditions.length > 0;
  const shown = index.periods.filter((one) => isShown(index, one, view) && hasMedia(one));
  const newest = shown.at(-1);
  if (newest === undefined) return null;
  const audio = newest.renditions.find(({ kind }) => kind === 'audio');
  const videos = listVariants(ways.isOver ? shown : [newest], newest);
  const targetSec = Math.max(MIN_TARGET_SEC, index.longestSec);
  const rates = (parts: readonly IndexedRendition[]) => ratesOf(parts, targetSec);
  const audioParts = (ways.isOver ? shown : [newest]).flatMap((period) => renditionFor(period, 'audio', false) ?? []);
  const audioRates = audio === undefined ? { peakBps: 0, averageBps: 0 } : rates(audioParts);
  const addressOf = ({ id }: IndexedRendition) => ways.addresses.media(id);
  const listed = [...videos.flatMap(({ parts }) => parts), ...(audio === undefined ? [] : [audio])];
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'independent-segments' },
    ...ways.sessionKeys([...new Set(listed)]).map((key): PlaylistTag => ({ tag: 'session-key', key })),
  ];
  const group = audio === undefined || videos.length === 0 ? {} : { audio: AUDIO_GROUP };
  if (audio !== undefined && videos.length > 0) {
    const channels = channelsOf(audio);
    const identity = { groupId: AUDIO_GROUP, name: 'Audio', isDefault: true };
    tags.push({ tag: 'media', type: 'AUDIO', ...identity, uri: addressOf(audio), channels });
  }
  for (const { own: listedAs, parts } of videos) {
    const own = rates(parts);
    const codecs = [...parts, ...(audio === undefined ? [] : [audio])].map(({ codecString }) => codecString);
    tags.push({
      tag: 'stream-inf',
      peakBps: own.peakBps + audioRates.peakBps,
      averageBps: own.averageBps + audioRates.averageBps,
      codecs: [...new Set(codecs)].join(','),
      resolution: sizeOf(parts),
      frameRate: newest.frameRate,
      ...group,
      uri: addressOf(listedAs),
    });
  }
  // For networks that are too slow for video (HLS Authoring Specification, section 9), after all others.
  if (audio !== undefined) {
    tags.push({ tag: 'stream-inf', ...audioRates, codecs: audio.codecString, ...group, uri: addressOf(audio) });
  }
  if (ways.listsIFrames && view.range === undefined)
    tags.push(...videos.flatMap((video) => iFrameTag(video, rates(video.parts), ways)));
  return writePlaylist(tags);
}

/** Video of one slot: the rendition whose URL is listed, and those that its playlist lists, one per period. */
type Variant = { own: IndexedRendition; parts: readonly IndexedRendition[] };

/** Lists the video slots of the newest period, and the rungs that only earlier periods have. The source is first. */
function listVariants(periods: readonly IndexedPeriod[], newest: IndexedPeriod): Variant[] {
  const slots = new Map<string, IndexedRendition>();
  const hasVideo = ({ renditions }: IndexedPeriod) => renditions.some(({ kind }) => kind === 'video');
  // A period without video has black video later. Until then, the whole recording plays as audio, because players stop
  // at a period whose video is missing.
  if (!periods.every(hasVideo)) return [];
  for (const period of [newest, ...periods.toReversed()]) {
    const hasSource = period.renditions.some(({ slot }) => slot === 'source');
    for (const rendition of period.renditions) {
      const { kind, slot, segments } = rendition;
      // List a rung only after its encoder has produced output. Black video represents no other period.
      const isOffered = !isRung(slot) || (hasSource && segments.length > 0);
      if (kind === 'video' && isOffered && !slots.has(slot)) slots.set(slot, rendition);
    }
  }
  const variants = [...slots.values()].map((own) => {
    return { own, parts: periods.flatMap((period) => renditionFor(period, own.slot, false) ?? []) };
  });
  return variants.toSorted((a, b) => heightOf(b.own) - heightOf(a.own));
}

function heightOf({ slot, rung }: IndexedRendition): number {
  return isRung(slot) ? (rung ?? 0) : Number.POSITIVE_INFINITY;
}

/** Returns the largest frame size in a slot. */
function sizeOf(parts: readonly IndexedRendition[]): { widthPx: number; heightPx: number } | null {
  const sizes = parts.flatMap(({ widthPx, heightPx }) =>
    widthPx === null || heightPx === null ? [] : [{ widthPx, heightPx }],
  );
  return sizes.toSorted((a, b) => b.widthPx * b.heightPx - a.widthPx * a.heightPx)[0] ?? null;
}

function isShown(index: LiveIndex, period: IndexedPeriod, view: LiveView): boolean {
  if (period.isPreview !== view.isPreview) return false;
  if (view.range === undefined) return true;
  const slot = period.renditions.find((one) => !isRung(one.slot))?.slot;
  return slot !== undefined && listSlot(index, slot, view).some((one) => one.period === period);
}

/**
 * Returns the tag of the I-frame playlist. The bit rate of the keyframes alone is unknown, so the rate of the whole
 * rendition is listed as an upper bound.
 */
function iFrameTag(
  { own, parts }: Variant,
  rates: { peakBps: number; averageBps: number },
  { addresses }: LiveAddresses,
): PlaylistTag[] {
  const resolution = sizeOf(parts);
  if (resolution === null) return [];
  const codecs = [...new Set(parts.map(({ codecString }) => codecString))].join(',');
  return [{ tag: 'i-frame-stream-inf', ...rates, codecs, resolution, uri: addresses.iFrames(own.id) }];
}

/** Returns the bit rates of a slot with one rendition per period: the highest peak and the overall average. */
function ratesOf(parts: readonly IndexedRendition[], targetSec: number): { peakBps: number; averageBps: number } {
  const sized = parts.map(sizedSegments);
  const peaks = parts.map((part, index) => peakOfWindows(sized[index] ?? [], targetSec) || expectedBps(part));
  const peakBps = Math.max(0, ...peaks);
  return { peakBps, averageBps: averageOfSegments(sized.flat()) || peakBps };
}

function sizedSegments({ segments, timescale }: IndexedRendition): SizedSegment[] {
  const whole = segments.filter(({ isClosed, durationTicks }) => isClosed && durationTicks > 0);
  return whole.map(({ stored, parts, durationTicks }) => {
    const bytes = stored?.sizeBytes ?? parts.reduce((sum, part) => sum + (part.bytes?.length ?? 0), 0);
    return { bytes, sec: durationTicks / timescale };
  });
}

/** Returns the assumed bit rate until a segment is complete. */
function expectedBps({ kind, rung, slot }: IndexedRendition): number {
  if (kind === 'audio') return 192_000;
  const cap = RUNGS.find((one) => isRung(slot) && one === rung);
  return cap === undefined ? UNKNOWN_BPS : MAX_BITRATES_BPS[cap];
}

/** Returns the number of channels for EXT-X-MEDIA, by which some players choose a rendition. */
function channelsOf({ init }: IndexedRendition): number | null {
  return init.length === 0 ? null : readInitSegment(init).channels;
}
