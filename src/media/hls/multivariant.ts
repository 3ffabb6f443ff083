import type { VideoRange } from '../cmaf/init-segment.ts';
import type { HlsKey } from '../drm/signalling/hls-key.ts';
import type { ListedSet } from '../presentation/listed-set.ts';
import type { PublishedRendition } from '../presentation/published-rendition.ts';
import {
  type AddedBytes,
  averageBps,
  computeSegmentRun,
  NOTHING_ADDED,
  peakBps,
  targetDurationSec,
} from '../presentation/segment-run.ts';
import { uniqueName } from '../probe/read-track-names.ts';
import type { AudioRole, TextKind } from '../probe/source-facts.ts';
import { type AudioGroup, chooseAudioGroups } from './audio-groups.ts';
import type { IFrameRates } from './i-frame-playlist.ts';
import { type PlaylistTag, writePlaylist } from './playlist.ts';
import type { SubtitleTrack } from './subtitle-playlist.ts';

const SUBTITLE_GROUP = 'subtitles';

/**
 * Maximum rung of the first variant, with which native players start. A middle rung starts fast and has acceptable
 * quality.
 */
export const START_RUNG_LIMIT = 720;

type Rates = { peakBps: number; averageBps: number };

/** URLs of rendition playlists, relative to the video's folder. */
export type PlaylistAddresses = { media(renditionId: string): string; iFrames(renditionId: string): string };

/**
 * Additional entries: subtitles, the bit rates of I-frame playlists by rendition id, the keys of EXT-X-SESSION-KEY, and
 * URLs other than the default ones.
 */
export type ListedBeside = {
  subtitles?: readonly SubtitleTrack[];
  iFrames?: ReadonlyMap<string, IFrameRates>;
  sessionKeys?: readonly HlsKey[];
  addresses?: PlaylistAddresses;
  /** Returns the bytes that delivery adds to segments. */
  added?: (rendition: PublishedRendition) => AddedBytes;
};

const USUAL_ADDRESSES: PlaylistAddresses = {
  media: (id) => `r/${id}/video.m3u8`,
  iFrames: (id) => `r/${id}/i-frames.m3u8`,
};

/**
 * Writes the multivariant playlist (RFC 8216 section 4.3.4) of a playable set. Computes bit rates from the actual
 * segments, and adds the largest audio rate of its groups to each video. Variants of the usual audio, H.264 first,
 * precede those of 5.1. Audio alone is last. VIDEO-RANGE is written if any video is HDR. `sourceFrameRate` is for
 * timelines without a fixed grid. URLs are `r/{renditionId}/video.m3u8`, relative to the video's folder, unless others
 * are given. `subtitles` become a group of every variant. None is on unless the viewer, or the system's language,
 * selects it. A video with rates in `iFrames` also has its I-frame playlist listed.
 */
export function writeMultivariant(
  set: ListedSet<PublishedRendition>,
  sourceFrameRate: number,
  { subtitles = [], iFrames = new Map(), sessionKeys = [], ...beside }: ListedBeside = {},
): string {
  const { addresses = USUAL_ADDRESSES, added = () => NOTHING_ADDED } = beside;
  const targetSec = targetDurationSec([...set.video, ...set.audio]);
  const ratesOf = (rendition: PublishedRendition): Rates => {
    const run = computeSegmentRun(rendition, added(rendition));
    return { peakBps: peakBps(run, targetSec), averageBps: averageBps(run) };
  };
  const groups = chooseAudioGroups(set, ratesOf);
  const header: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'independent-segments' },
    ...sessionKeys.map((key): PlaylistTag => ({ tag: 'session-key', key })),
    ...subtitleGroup(subtitles),
  ];
  const text = subtitles.length === 0 ? {} : { subtitles: SUBTITLE_GROUP };
  const isAudioOnly = set.video.length === 0;
  const audioCount = groups.all.reduce((sum, { audio }) => sum + audio.length, 0);
  const hasGroup = audioCount > (isAudioOnly ? 1 : 0);
  const audioOf = ({ id }: AudioGroup) => ({ ...(hasGroup ? { audio: id } : {}), ...text });
  if (hasGroup) header.push(...groups.all.flatMap((group) => audioGroup(group, addresses)));
  const aloneRates = { peakBps: peakOf(groups.alone) };
  const alone = (isAudioOnly || audioCount > 0 ? groups.alone : []).map((group) =>
    audioVariant({ ...group, rates: { ...group.rates, ...aloneRates } }, addresses, audioOf(group)),
  );
  if (isAudioOnly) return writePlaylist([...header, ...alone]);
  const hasHdr = set.video.some((video) => rangeOf(video) !== 'SDR');
  const variant = (video: PublishedRendition, group: AudioGroup): PlaylistTag => {
    const own = ratesOf(video);
    return {
      tag: 'stream-inf',
      peakBps: own.peakBps + peakOf(groups.of(video)),
      averageBps: own.averageBps + group.rates.averageBps,
      codecs: codecs([video, ...group.audio]),
      resolution: resolutionOf(video),
      frameRate: frameRate(video, sourceFrameRate),
      videoRange: hasHdr ? rangeOf(video) : null,
      uri: addresses.media(video.id),
      ...audioOf(group),
    };
  };
  const ordered = inStartOrder(set.video).map((video) => groups.of(video).map((group) => variant(video, group)));
  return writePlaylist([
    ...header,
    ...ordered.flatMap((variants) => variants.slice(0, 1)),
    ...ordered.flatMap((variants) => variants.slice(1)),
    // For networks that are too slow for video (HLS Authoring Specification, section 9). Players skip this variant
    // otherwise.
    ...alone,
    ...set.video.flatMap((video) => {
      const rates = iFrames.get(video.id);
      return rates === undefined
        ? []
        : iFrameVariant(video, { ...rates, videoRange: hasHdr ? rangeOf(video) : null }, addresses);
    }),
  ]);
}

function peakOf(groups: readonly AudioGroup[]): number {
  return Math.max(...groups.map(({ rates }) => rates.peakBps));
}

function resolutionOf({ widthPx, heightPx }: PublishedRendition): { widthPx: number; heightPx: number } | null {
  return widthPx === null || heightPx === null ? null : { widthPx, heightPx };
}

/** Lists an I-frame playlist in a multivariant playlist (RFC 8216 section 4.3.4.3). */
function iFrameVariant(
  video: PublishedRendition,
  { videoRange, ...rates }: IFrameRates & { videoRange: VideoRange | null },
  addresses: PlaylistAddresses,
): PlaylistTag[] {
  const resolution = resolutionOf(video);
  if (video.codecString === null || resolution === null) return [];
  return [
    {
      tag: 'i-frame-stream-inf',
      ...rates,
      codecs: video.codecString,
      resolution,
      videoRange,
      uri: addresses.iFrames(video.id),
    },
  ];
}

function audioVariant(
  { audio, rates }: AudioGroup,
  addresses: PlaylistAddresses,
  groups: { audio?: string; subtitles?: string },
): PlaylistTag {
  const first = defaultOf(audio);
  if (first === undefined) throw new Error('Expected at least one listed rendition for a playlist, found none.');
  return { tag: 'stream-inf', ...rates, codecs: codecs(audio), uri: addresses.media(first.id), ...groups };
}

/** Characteristics defined by Apple (HLS Authoring Specification, sections 5 and 6.10). */
const CHARACTERISTICS: Record<AudioRole | TextKind, readonly string[]> = {
  main: [],
  commentary: [],
  description: ['public.accessibility.describes-video'],
  full: [],
  forced: [],
  sdh: ['public.accessibility.transcribes-spoken-dialog', 'public.accessibility.describes-music-and-sound'],
};

function audioGroup({ id: groupId, audio }: AudioGroup, addresses: PlaylistAddresses): PlaylistTag[] {
  const chosen = defaultOf(audio);
  const names = new Set<string>();
  const mayChoose = createAutoSelect();
  return audio.map(({ id, language, role = 'main', channels = null, ...rendition }) => ({
    tag: 'media',
    type: 'AUDIO',
    groupId,
    name: uniqueName(rendition.name === '' ? languageName(language) : rendition.name, names),
    language: language === 'und' ? null : language,
    isDefault: id === chosen?.id,
    isAutoSelected: id === chosen?.id || (role !== 'commentary' && mayChoose(language, role)),
    characteristics: CHARACTERISTICS[role],
    channels,
    uri: addresses.media(id),
  }));
}

function subtitleGroup(subtitles: readonly SubtitleTrack[]): PlaylistTag[] {
  const names = new Set<string>();
  const mayChoose = createAutoSelect();
  return subtitles.map(({ language, name, kind, address: uri }) => ({
    ...{ tag: 'media', type: 'SUBTITLES', groupId: SUBTITLE_GROUP, name: uniqueName(name, names) },
    ...{ language, isDefault: false, uri },
    isAutoSelected: mayChoose(language, kind) || kind === 'forced',
    isForced: kind === 'forced',
    characteristics: CHARACTERISTICS[kind],
  }));
}

/**
 * Returns a function that decides whether players may select a rendition automatically. RFC 8216 section 4.3.4.1.1:
 * each such rendition SHOULD have a unique combination of language, FORCED and CHARACTERISTICS.
 */
function createAutoSelect(): (language: string, purpose: AudioRole | TextKind) => boolean {
  const seen = new Set<string>();
  return (language, purpose) => {
    const key = `${language} ${purpose}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  };
}

function languageName(language: string): string {
  if (language === 'und') return 'Audio';
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language;
  } catch (error) {
    // Files contain tags that are not BCP 47. The tag itself is then the best available name.
    if (error instanceof RangeError) return language;
    throw error;
  }
}

function defaultOf(audio: readonly PublishedRendition[]): PublishedRendition | undefined {
  return audio.find((rendition) => rendition.isDefault) ?? audio[0];
}

function inStartOrder(video: readonly PublishedRendition[]): PublishedRendition[] {
  const size = (rendition: PublishedRendition) => rendition.rung ?? rendition.heightPx ?? 0;
  const descending = video.toSorted((a, b) => Number(isH264(b)) - Number(isH264(a)) || size(b) - size(a));
  const known = descending.some(isH264) ? descending.filter(isH264) : descending;
  const start = known.find((rendition) => size(rendition) <= START_RUNG_LIMIT) ?? known.at(-1);
  return descending.toSorted((a, b) => Number(b === start) - Number(a === start));
}

/** H.264, which every player decodes, is listed first. */
function isH264({ codecString }: PublishedRendition): boolean {
  return codecString !== null && /^avc[13]\./.test(codecString);
}

function rangeOf({ videoRange }: PublishedRendition): VideoRange {
  return videoRange ?? 'SDR';
}

function frameRate({ cutList }: PublishedRendition, sourceFrameRate: number): number {
  const { grid } = cutList;
  return grid.kind === 'frames' ? grid.rate.num / grid.rate.den : sourceFrameRate;
}

function codecs(renditions: readonly PublishedRendition[]): string {
  return [...new Set(renditions.map((rendition) => rendition.codecString ?? ''))].filter(Boolean).join(',');
}
