import type { VideoRange } from '../cmaf/init-segment.ts';
import type { ListedSet } from '../presentation/listed-set.ts';
import type { PublishedRendition } from '../presentation/published-rendition.ts';
import { type AddedBytes, averageBps, computeSegmentRun, NOTHING_ADDED, peakBps } from '../presentation/segment-run.ts';
import { type IFrameRates, writeIFrameStreamInf } from './i-frame-playlist.ts';
import type { SubtitleTrack } from './subtitle-playlist.ts';

const AUDIO_GROUP = 'audio';
const SUBTITLE_GROUP = 'subtitles';

/** Native players start with the first variant: a middle rung starts fast and does not look poor. */
export const START_RUNG_LIMIT = 720;

type Rates = { peakBps: number; averageBps: number };

/** Where playlists of renditions are, relative to the video's folder. */
export type PlaylistAddresses = { media(renditionId: string): string; iFrames(renditionId: string): string };

/**
 * What is listed beside pictures and sound: subtitles, the rates of I-frame playlists by rendition id, and
 * EXT-X-SESSION-KEY lines; and, where they are not the usual ones, the addresses.
 */
export type ListedBeside = {
  subtitles?: readonly SubtitleTrack[];
  iFrames?: ReadonlyMap<string, IFrameRates>;
  sessionKeyLines?: readonly string[];
  addresses?: PlaylistAddresses;
  /** By how much segments grow on their way out. */
  added?: (rendition: PublishedRendition) => AddedBytes;
};

const USUAL_ADDRESSES: PlaylistAddresses = {
  media: (id) => `r/${id}/video.m3u8`,
  iFrames: (id) => `r/${id}/i-frames.m3u8`,
};

/**
 * Writes the multivariant playlist (RFC 8216 section 4.3.4) of a playable set. Rates are those of the
 * real segments, video and dearest sound added. H.264 comes first; VIDEO-RANGE is named once any is HDR.
 * `sourceFrameRate` serves timelines without a fixed grid. Addresses are `r/{renditionId}/video.m3u8`, relative to the
 * video's folder, unless others are given. `subtitles` are signalled as a group that every variant has; none is on before the viewer, or the
 * system's language, asks for it. A video with rates in `iFrames` has its
 * I-frame playlist listed too.
 */
export function writeMultivariant(
  set: ListedSet<PublishedRendition>,
  sourceFrameRate: number,
  { subtitles = [], iFrames = new Map(), sessionKeyLines = [], ...beside }: ListedBeside = {},
): string {
  const { addresses = USUAL_ADDRESSES, added = () => NOTHING_ADDED } = beside;
  const audioRates = set.audio.map((audio) => ratesOf(audio, added));
  const sound: Rates = {
    peakBps: Math.max(0, ...audioRates.map((rates) => rates.peakBps)),
    averageBps: Math.max(0, ...audioRates.map((rates) => rates.averageBps)),
  };
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS', ...sessionKeyLines];
  const text = subtitleGroup(subtitles);
  const groups = text.length === 0 ? [] : [`SUBTITLES=${quoted(SUBTITLE_GROUP)}`];
  lines.push(...text);
  if (set.video.length === 0)
    return `${[...lines, ...soundOnly(set.audio, { sound, groups, addresses })].join('\n')}\n`;
  if (set.audio.length > 0) groups.unshift(`AUDIO=${quoted(AUDIO_GROUP)}`);
  lines.push(...audioGroup(set.audio, addresses));
  const hasHdr = set.video.some((video) => rangeOf(video) !== 'SDR');
  for (const video of inStartOrder(set.video)) {
    const attributes = videoAttributes(video, {
      audio: set.audio,
      own: ratesOf(video, added),
      sound,
      sourceFrameRate,
      hasHdr,
    });
    lines.push(`#EXT-X-STREAM-INF:${[...attributes, ...groups].join(',')}`, addresses.media(video.id));
  }
  for (const video of set.video) lines.push(...iFrameVariant(video, iFrames.get(video.id), addresses));
  return `${lines.join('\n')}\n`;
}

type Beside = {
  audio: readonly PublishedRendition[];
  own: Rates;
  sound: Rates;
  sourceFrameRate: number;
  hasHdr: boolean;
};

function videoAttributes(video: PublishedRendition, { audio, own, sound, sourceFrameRate, hasHdr }: Beside): string[] {
  const attributes = [
    `BANDWIDTH=${own.peakBps + sound.peakBps}`,
    `AVERAGE-BANDWIDTH=${own.averageBps + sound.averageBps}`,
    `CODECS=${quoted(codecs([video, ...audio]))}`,
  ];
  if (video.widthPx !== null && video.heightPx !== null) {
    attributes.push(`RESOLUTION=${video.widthPx}x${video.heightPx}`);
  }
  const rate = frameRate(video, sourceFrameRate);
  if (rate > 0) attributes.push(`FRAME-RATE=${rate.toFixed(3)}`);
  if (hasHdr) attributes.push(`VIDEO-RANGE=${rangeOf(video)}`);
  return attributes;
}

function iFrameVariant(
  { id, codecString, widthPx, heightPx }: PublishedRendition,
  rates: IFrameRates | undefined,
  addresses: PlaylistAddresses,
): string[] {
  if (rates === undefined || codecString === null || widthPx === null || heightPx === null) return [];
  return [writeIFrameStreamInf(rates, { codecString, widthPx, heightPx, uri: addresses.iFrames(id) })];
}

type SoundBeside = { sound: Rates; groups: readonly string[]; addresses: PlaylistAddresses };

function soundOnly(audio: readonly PublishedRendition[], { sound, groups, addresses }: SoundBeside): string[] {
  const first = defaultOf(audio);
  if (first === undefined) throw new Error('Expected a listed rendition to write a playlist of, found none.');
  const attributes = [
    `BANDWIDTH=${sound.peakBps}`,
    `AVERAGE-BANDWIDTH=${sound.averageBps}`,
    `CODECS=${quoted(codecs(audio))}`,
  ];
  const group = audio.length > 1 ? audioGroup(audio, addresses) : [];
  if (group.length > 0) attributes.push(`AUDIO=${quoted(AUDIO_GROUP)}`);
  attributes.push(...groups);
  return [...group, `#EXT-X-STREAM-INF:${attributes.join(',')}`, addresses.media(first.id)];
}

function audioGroup(audio: readonly PublishedRendition[], addresses: PlaylistAddresses): string[] {
  const chosen = defaultOf(audio);
  const names = new Set<string>();
  return audio.map((rendition) => {
    const name = uniqueName(rendition.name === '' ? languageName(rendition.language) : rendition.name, names);
    const isDefault = rendition === chosen;
    const attributes = ['TYPE=AUDIO', `GROUP-ID=${quoted(AUDIO_GROUP)}`, `NAME=${quoted(name)}`];
    if (rendition.language !== 'und') attributes.push(`LANGUAGE=${quoted(rendition.language)}`);
    attributes.push(
      `DEFAULT=${isDefault ? 'YES' : 'NO'}`,
      'AUTOSELECT=YES',
      `URI=${quoted(addresses.media(rendition.id))}`,
    );
    return `#EXT-X-MEDIA:${attributes.join(',')}`;
  });
}

function subtitleGroup(subtitles: readonly SubtitleTrack[]): string[] {
  const names = new Set<string>();
  return subtitles.map(({ language, name, address: uri }) => {
    const attributes = [
      'TYPE=SUBTITLES',
      `GROUP-ID=${quoted(SUBTITLE_GROUP)}`,
      `NAME=${quoted(uniqueName(name, names))}`,
    ];
    attributes.push(`LANGUAGE=${quoted(language)}`, 'DEFAULT=NO', 'AUTOSELECT=YES', `URI=${quoted(uri)}`);
    return `#EXT-X-MEDIA:${attributes.join(',')}`;
  });
}

/** RFC 8216 section 4.3.4.1.1: the names of one group differ. */
function uniqueName(plain: string, taken: Set<string>): string {
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain} ${count}`;
  taken.add(name);
  return name;
}

function languageName(language: string): string {
  if (language === 'und') return 'Audio';
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language;
  } catch (error) {
    // Files carry tags that are no BCP-47; such a tag is still the best name there is.
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

/** What every player knows comes first. */
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

function ratesOf(rendition: PublishedRendition, added: (rendition: PublishedRendition) => AddedBytes): Rates {
  const run = computeSegmentRun(rendition, added(rendition));
  return { peakBps: peakBps(run), averageBps: averageBps(run) };
}

function codecs(renditions: readonly PublishedRendition[]): string {
  return [...new Set(renditions.map((rendition) => rendition.codecString ?? ''))].filter(Boolean).join(',');
}

/**
 * A quoted-string holds no line break and no double quote (RFC 8216 section 4.2). Some parsers take an apostrophe
 * for a quote as well: both are written as their typographic forms.
 */
function quoted(text: string): string {
  return `"${text
    .replaceAll('"', '”')
    .replaceAll("'", '’')
    .replaceAll(/[\r\n]+/g, ' ')}"`;
}
