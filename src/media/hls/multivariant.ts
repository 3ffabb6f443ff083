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
import type { IFrameRates } from './i-frame-playlist.ts';
import { type PlaylistTag, writePlaylist } from './playlist.ts';
import type { SubtitleTrack } from './subtitle-playlist.ts';

const AUDIO_GROUP = 'audio';
const LOW_AUDIO_GROUP = 'audio-low';

/** Highest rung that is listed with audio of the lower bitrate. */
export const MAX_LOW_AUDIO_RUNG = 360;
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
 * segments, and adds the largest audio rate of its group to each video. Rungs up to 360p, except the highest, have a
 * group of a lower bitrate if there is one. H.264 is first, and audio alone is last. VIDEO-RANGE is written if any
 * video is HDR. `sourceFrameRate` is for timelines without a fixed grid. URLs are `r/{renditionId}/video.m3u8`,
 * relative to the video's folder, unless others are given. `subtitles` become a group of every variant. None is on
 * unless the viewer, or the system's language, selects it. A video with rates in `iFrames` also has its I-frame
 * playlist listed.
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
  const groupOf = chooseAudioGroups(set, ratesOf);
  const header: PlaylistTag[] = [
    { tag: 'version', version: 7 },
    { tag: 'independent-segments' },
    ...sessionKeys.map((key): PlaylistTag => ({ tag: 'session-key', key })),
    ...subtitleGroup(subtitles),
  ];
  const text = subtitles.length === 0 ? {} : { subtitles: SUBTITLE_GROUP };
  const isAudioOnly = set.video.length === 0;
  const alone = groupOf.all.at(-1) ?? NO_AUDIO;
  const hasGroup = alone.audio.length > (isAudioOnly ? 1 : 0);
  const audioOf = ({ id }: AudioGroup) => ({ ...(hasGroup ? { audio: id } : {}), ...text });
  if (hasGroup) header.push(...groupOf.all.flatMap((group) => audioGroup(group, addresses)));
  if (isAudioOnly) return writePlaylist([...header, audioVariant(alone, addresses, audioOf(alone))]);
  const hasHdr = set.video.some((video) => rangeOf(video) !== 'SDR');
  const variants = inStartOrder(set.video).map((video): PlaylistTag => {
    const own = ratesOf(video);
    const group = groupOf.video(video);
    return {
      tag: 'stream-inf',
      peakBps: own.peakBps + group.rates.peakBps,
      averageBps: own.averageBps + group.rates.averageBps,
      codecs: codecs([video, ...group.audio]),
      resolution: resolutionOf(video),
      frameRate: frameRate(video, sourceFrameRate),
      videoRange: hasHdr ? rangeOf(video) : null,
      uri: addresses.media(video.id),
      ...audioOf(group),
    };
  });
  return writePlaylist([
    ...header,
    ...variants,
    // For networks that are too slow for video (HLS Authoring Specification, section 9). Players skip this variant
    // otherwise.
    ...(set.audio.length === 0 ? [] : [audioVariant(alone, addresses, audioOf(alone))]),
    ...set.video.flatMap((video) => {
      const rates = iFrames.get(video.id);
      return rates === undefined
        ? []
        : iFrameVariant(video, { ...rates, videoRange: hasHdr ? rangeOf(video) : null }, addresses);
    }),
  ]);
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

/** Audio tracks that a variant is listed with, and the rates of the dearest. */
type AudioGroup = { id: string; audio: readonly PublishedRendition[]; rates: Rates };

const NO_AUDIO: AudioGroup = { id: AUDIO_GROUP, audio: [], rates: { peakBps: 0, averageBps: 0 } };

/**
 * Returns the groups of audio, the dearest first, and the one that a rung is listed with. All groups have the same
 * names (RFC 8216 section 4.3.4.2.1), so a track without a lower bitrate is in both.
 */
function chooseAudioGroups(
  { video, audio }: ListedSet<PublishedRendition>,
  ratesOf: (rendition: PublishedRendition) => Rates,
): { all: readonly AudioGroup[]; video(rendition: PublishedRendition): AudioGroup } {
  const ofUsualForm = audio.filter(({ form }) => form === undefined);
  const usual = ofUsualForm.length > 0 ? ofUsualForm : audio;
  const low = usual.map((track) => {
    const isSame = ({ form, language, name, role }: PublishedRendition) =>
      form === 'low' && language === track.language && name === track.name && role === track.role;
    const found = audio.find(isSame);
    return found === undefined ? track : { ...found, isDefault: track.isDefault };
  });
  const group = (id: string, tracks: readonly PublishedRendition[]): AudioGroup => {
    const rates = tracks.map(ratesOf);
    const peakBps = Math.max(0, ...rates.map((one) => one.peakBps));
    return { id, audio: tracks, rates: { peakBps, averageBps: Math.max(0, ...rates.map((one) => one.averageBps)) } };
  };
  const main = group(AUDIO_GROUP, usual);
  const topRung = Math.max(...video.map(({ rung }) => rung ?? 0));
  const isLow = ({ rung }: PublishedRendition) => rung !== null && rung <= MAX_LOW_AUDIO_RUNG && rung < topRung;
  if (!low.some(({ form }) => form === 'low') || !video.some(isLow)) return { all: [main], video: () => main };
  const lower = group(LOW_AUDIO_GROUP, low);
  return { all: [main, lower], video: (rendition) => (isLow(rendition) ? lower : main) };
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
