import { MAX_BITRATES_BPS, RUNGS } from '../encode/ladder.ts';
import { type PlaylistTag, writePlaylist } from '../hls/playlist-tags.ts';
import { type IndexedPeriod, type IndexedRendition, isRung, type LiveIndex } from './live-index.ts';
import { type LiveView, listSlot } from './slot-segments.ts';

/** Before a segment is whole its rate is not known: what a 1080p stream usually needs. */
const UNKNOWN_BPS = 6_000_000;
const AUDIO_GROUP = 'audio';

/** Addresses of media playlists, and EXT-X-SESSION-KEY lines of renditions. */
export type LiveAddresses = {
  addresses: { media(id: string): string; iFrames(id: string): string };
  listsIFrames: boolean;
  sessionKeyLines(renditions: readonly IndexedRendition[]): readonly string[];
};

/**
 * Writes the multivariant playlist of a stream from its newest period that is shown (RFC 8216 section 4.3.4). Null while
 * it has none. Rates are those of the segments that are known.
 */
export function liveMultivariant(index: LiveIndex, view: LiveView, ways: LiveAddresses): string | null {
  const period = index.periods.findLast((one) => isShown(index, one, view));
  if (period === undefined) return null;
  const audio = period.renditions.find(({ kind }) => kind === 'audio');
  // A rung whose encoder has given nothing is not offered.
  const videos = period.renditions.filter(
    ({ kind, slot, segments }) => kind === 'video' && (!isRung(slot) || segments.length > 0),
  );
  const audioBps = audio === undefined ? 0 : peakBps(audio);
  const addressOf = ({ id }: IndexedRendition) => ways.addresses.media(id);
  const listed = [...videos, ...(audio === undefined ? [] : [audio])];
  const tags: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'independent-segments' },
    ...ways.sessionKeyLines(listed).map((line): PlaylistTag => ({ tag: 'key', line })),
  ];
  if (audio !== undefined && videos.length === 0) {
    tags.push({ tag: 'stream-inf', peakBps: audioBps, codecs: audio.codecString, uri: addressOf(audio) });
  } else if (audio !== undefined) {
    const place = { groupId: AUDIO_GROUP, name: 'Audio', isDefault: true, uri: addressOf(audio) };
    tags.push({ tag: 'media', type: 'AUDIO', ...place });
  }
  for (const video of videos) {
    const { widthPx, heightPx } = video;
    tags.push({
      tag: 'stream-inf',
      peakBps: peakBps(video) + audioBps,
      codecs: [video, audio].flatMap((one) => (one === undefined ? [] : [one.codecString])).join(','),
      resolution: widthPx === null || heightPx === null ? null : { widthPx, heightPx },
      frameRate: period.frameRate,
      ...(audio === undefined ? {} : { audio: AUDIO_GROUP }),
      uri: addressOf(video),
    });
  }
  if (ways.listsIFrames && view.range === undefined) tags.push(...videos.flatMap((video) => iFrameTag(video, ways)));
  return writePlaylist(tags);
}

function isShown(index: LiveIndex, period: IndexedPeriod, view: LiveView): boolean {
  if (period.isPreview !== view.isPreview) return false;
  if (view.range === undefined) return true;
  const slot = period.renditions.find((one) => !isRung(one.slot))?.slot;
  return slot !== undefined && listSlot(index, slot, view).some((one) => one.period === period);
}

/** How much of a rendition its keyframes are is not known: no more than all of it. */
function iFrameTag(video: IndexedRendition, { addresses }: LiveAddresses): PlaylistTag[] {
  const { codecString, widthPx, heightPx, id } = video;
  if (widthPx === null || heightPx === null) return [];
  const bps = peakBps(video);
  const rates = { peakBps: bps, averageBps: bps };
  const resolution = { widthPx, heightPx };
  return [{ tag: 'i-frame-stream-inf', ...rates, codecs: codecString, resolution, uri: addresses.iFrames(id) }];
}

function peakBps({ segments, timescale, kind, rung, slot }: IndexedRendition): number {
  const rates = segments
    .filter(({ isClosed, durationTicks }) => isClosed && durationTicks > 0)
    .map(({ stored, parts, durationTicks }) => {
      const bytes = stored?.sizeBytes ?? parts.reduce((sum, part) => sum + (part.bytes?.length ?? 0), 0);
      return Math.ceil((bytes * 8 * timescale) / durationTicks);
    });
  if (rates.length > 0) return Math.max(...rates);
  if (kind === 'audio') return 192_000;
  const cap = RUNGS.find((one) => isRung(slot) && one === rung);
  return cap === undefined ? UNKNOWN_BPS : MAX_BITRATES_BPS[cap];
}
