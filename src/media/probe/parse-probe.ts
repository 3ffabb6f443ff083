import { explainUnoffered } from './explain-unoffered.ts';
import { chooseGridRate, chooseVariableGridRate, type FittingGrid, parseRatio, toNumber } from './frame-rate.ts';
import { joinSides } from './join-sides.ts';
import { findDolbyFault, parsePixels } from './parse-pixels.ts';
import { isPicture, streamsOf } from './probed-streams.ts';
import { asRaw, type Raw, readNumber, readText } from './raw-fields.ts';
import { readAudioRole, readTextKind, readTrackNames } from './read-track-names.ts';
import type { AudioFacts, Rational, SourceFacts, SourceFault, SubtitleFacts, VideoFacts } from './source-facts.ts';

/**
 * Result of scanning the packets of one stream: their number, their time range in seconds of the source's clock, and
 * the frame grids that they fit on (`createGridMeter`).
 */
export type PacketSpan = { packets: number; firstSec: number; endSec: number; grids: readonly FittingGrid[] | null };

const MAX_SIDE_PX = 8192;
const MAX_PIXELS = 35_389_440;
const MAX_DURATION_SEC = 24 * 3600;
/** Codecs of text subtitles that the ffmpeg of Debian can decode. It cannot decode ttml. */
const TEXT_SUBTITLES = new Set(['subrip', 'srt', 'ass', 'ssa', 'webvtt', 'mov_text', 'text']);
/** Maximum relative deviation of an average over about a second from the actual rate. */
const STEADY_SHARE = 0.015;
/**
 * Factor by which a declared rate must be wrong to be ignored. Interlaced fields and short files cause smaller
 * differences.
 */
const WRONG_RATE = 2.5;
const KEYFRAME_SEEKERS = /\b(mov|mp4|matroska|webm|avi|mxf|asf)\b/;

/**
 * Converts ffprobe's `-show_format -show_streams` output to source properties, or to the reason why the file is not a
 * video. `spans` (by stream index) supplies data that the container does not declare. Without this data, unknown
 * durations are null, and `durationSec` is 0 if no duration is known. `needsPacketScan` detects this case.
 */
export function parseProbe(
  answer: unknown,
  sizeBytes: number,
  spans: ReadonlyMap<number, PacketSpan>,
): SourceFacts | SourceFault {
  const root = asRaw(answer);
  const format = asRaw(root.format);
  const streams = streamsOf(answer);
  const video = readVideo(streams.filter(isPicture), spans);
  if (video !== null && 'kind' in video) return video;
  const ofType = (type: string) => streams.filter((stream) => stream.codec_type === type);
  const audio = readAudioTracks(ofType('audio'), spans);
  if (video === null && audio.length === 0) return whyNothingPlays(streams);
  const startSec = readNumber(format.start_time) ?? 0;
  const durationSec = wholeDurationSec({ video, audio, startSec, statedSec: readNumber(format.duration) });
  if (durationSec > MAX_DURATION_SEC) {
    const hours = (durationSec / 3600).toFixed(1);
    return {
      kind: 'too-long',
      message: `Expected a duration of at most ${MAX_DURATION_SEC / 3600} hours, got ${hours}.`,
    };
  }
  const container = containerOf(answer);
  const subtitles = ofType('subtitle').map(readSubtitle);
  return {
    container,
    sizeBytes,
    durationSec,
    startSec,
    seeksToKeyframes: KEYFRAME_SEEKERS.test(container),
    video,
    ...(video === null && readCover(ofType('video'))),
    audio,
    subtitles,
    warnings: explainUnoffered(ofType('audio').map(toUnread), { audio, subtitles }),
  };
}

/** Returns ffprobe's name of the container, such as `mpegts` or `mov,mp4,m4a,3gp,3g2,mj2`. */
export function containerOf(answer: unknown): string {
  return readText(asRaw(asRaw(answer).format).format_name) ?? 'unknown';
}

/** Whether the container lacks data that a plan needs: a duration, or the average frame rate. */
export function needsPacketScan(answer: unknown): boolean {
  const root = asRaw(answer);
  const streams = streamsOf(answer);
  const playable = streams.filter((stream) => isPicture(stream) || stream.codec_type === 'audio');
  const isUntimed = playable.every((stream) => ownDurationSec(stream) === null);
  const isWithoutRate = playable.some((stream) => isPicture(stream) && averageRate(stream, undefined) === null);
  return isWithoutRate || (isUntimed && (readNumber(asRaw(root.format).duration) ?? 0) <= 0);
}

function wholeDurationSec(known: {
  video: VideoFacts | null;
  audio: readonly AudioFacts[];
  startSec: number;
  statedSec: number | null;
}): number {
  const streams = known.video === null ? known.audio : [known.video, ...known.audio];
  const ends = streams.map((stream) => (stream.durationSec === null ? 0 : stream.startSec + stream.durationSec));
  const lastSec = Math.max(...ends) - known.startSec;
  // A stream without a duration may be the longest. In that case, use only the container's duration.
  const isComplete = streams.every(({ durationSec }) => (durationSec ?? 0) > 0);
  return isComplete ? lastSec : Math.max(lastSec, known.statedSec ?? 0, 0);
}

function readVideo(pictures: readonly Raw[], spans: ReadonlyMap<number, PacketSpan>): VideoFacts | SourceFault | null {
  const isDefault = (stream: Raw) => asRaw(stream.disposition).default === 1;
  const stream = pictures.find(isDefault) ?? pictures[0];
  if (stream === undefined) return null;
  const codedWidthPx = readNumber(stream.width) ?? 0;
  const codedHeightPx = readNumber(stream.height) ?? 0;
  const fault = sizeFault(stream, codedWidthPx, codedHeightPx);
  if (fault !== null) return fault;
  const streamIndex = readNumber(stream.index) ?? 0;
  const span = spans.get(streamIndex);
  const startSec = readNumber(stream.start_time) ?? span?.firstSec ?? 0;
  const durationSec = ownDurationSec(stream) ?? (span === undefined ? 0 : span.endSec - startSec);
  return {
    streamIndex,
    codec: readText(stream.codec_name) ?? 'unknown',
    profile: readText(stream.profile) ?? '',
    ...parsePixels(stream),
    codedWidthPx,
    codedHeightPx,
    ...readDisplay(stream, codedWidthPx, codedHeightPx),
    ...readRate(stream, span),
    isInterlaced: ['tt', 'bb', 'tb', 'bt'].includes(readText(stream.field_order) ?? ''),
    bitrateBps: readNumber(stream.bit_rate),
    durationSec,
    startSec,
  };
}

/** Returns the first attached picture that can be decoded, as in music files. */
function readCover(streams: readonly Raw[]): Pick<SourceFacts, 'cover'> {
  const covers = streams.map((stream) => readVideo([stream], new Map()));
  const cover = covers.find((one) => one !== null && !('kind' in one));
  return cover === undefined || cover === null || 'kind' in cover ? {} : { cover };
}

function sizeFault(stream: Raw, widthPx: number, heightPx: number): SourceFault | null {
  const codec = readText(stream.codec_name);
  if (widthPx > MAX_SIDE_PX || heightPx > MAX_SIDE_PX || widthPx * heightPx > MAX_PIXELS) {
    const size = `${widthPx}x${heightPx}`;
    const message = `Expected at most ${MAX_SIDE_PX} pixels per side and ${MAX_PIXELS} in all, got ${size}.`;
    return { kind: 'frame-too-large', message };
  }
  const dolby = findDolbyFault(stream);
  if (dolby !== null) return dolby;
  // Without a pixel format, no frame could be decoded.
  const isDecoded = readText(stream.pix_fmt) !== null && widthPx > 0 && heightPx > 0;
  if (isDecoded && codec !== null && codec !== 'unknown') return null;
  const message = `Expected video that can be decoded, got ${codec ?? 'no codec'} at ${widthPx}x${heightPx}.`;
  return { kind: 'undecodable', message };
}

function readDisplay(
  stream: Raw,
  widthPx: number,
  heightPx: number,
): Pick<VideoFacts, 'displayWidthPx' | 'displayHeightPx' | 'rotationDeg' | 'sampleAspect'> {
  const sampleAspect = parseRatio(readText(stream.sample_aspect_ratio) ?? '1:1') ?? { num: 1, den: 1 };
  const rotationDeg = readRotation(stream);
  const stretchedPx = Math.max(1, Math.round(widthPx * toNumber(sampleAspect)));
  const isTurned = rotationDeg === 90 || rotationDeg === 270;
  return {
    displayWidthPx: isTurned ? heightPx : stretchedPx,
    displayHeightPx: isTurned ? stretchedPx : heightPx,
    rotationDeg,
    sampleAspect,
  };
}

/**
 * Returns the clockwise rotation that makes the video upright. ffprobe reports the display matrix counter-clockwise.
 */
function readRotation(stream: Raw): VideoFacts['rotationDeg'] {
  const sideData = (Array.isArray(stream.side_data_list) ? stream.side_data_list : []).map(asRaw);
  const matrix = sideData.map((data) => readNumber(data.rotation)).find((rotation) => rotation !== null);
  const tagged = readNumber(asRaw(stream.tags).rotate);
  const clockwise = matrix !== undefined && matrix !== null ? -matrix : (tagged ?? 0);
  const quarter = (((Math.round(clockwise / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3;
  return ([0, 90, 180, 270] as const)[quarter];
}

function readRate(stream: Raw, span: PacketSpan | undefined): Pick<VideoFacts, 'rate' | 'isVariableRate'> {
  const average = averageRate(stream, span) ?? { num: 25, den: 1 };
  const base = parseRatio(readText(stream.r_frame_rate) ?? '') ?? average;
  const isInterlaced = ['tt', 'bb', 'tb', 'bt'].includes(readText(stream.field_order) ?? '');
  const ratio = toNumber(base) / toNumber(average);
  // An interlaced stream may declare its field rate, which is twice the frame rate.
  const isConstant = Math.abs(ratio - 1) <= STEADY_SHARE || (isInterlaced && Math.abs(ratio - 2) <= 2 * STEADY_SHARE);
  if (isConstant) return { rate: chooseGridRate(average, base), isVariableRate: false };
  return { rate: chooseVariableGridRate({ average, base, grids: span?.grids ?? null }), isVariableRate: true };
}

/** Returns the declared average rate, unless the number of scanned packets contradicts it. */
function averageRate(stream: Raw, span: PacketSpan | undefined): Rational | null {
  const stated = parseRatio(readText(stream.avg_frame_rate) ?? '');
  const counted = countedRate(span);
  if (stated === null || counted === null) return stated ?? counted;
  const ratio = toNumber(stated) / toNumber(counted);
  return ratio > WRONG_RATE || ratio < 1 / WRONG_RATE ? counted : stated;
}

function countedRate(span: PacketSpan | undefined): Rational | null {
  if (span === undefined || span.packets < 2 || span.endSec <= span.firstSec) return null;
  return { num: Math.max(1, Math.round((span.packets / (span.endSec - span.firstSec)) * 1000)), den: 1000 };
}

/**
 * Returns the audio tracks, sorted so that tracks of main audio precede others, and the file's default track precedes
 * other tracks of main audio.
 */
function readAudioTracks(streams: readonly Raw[], spans: ReadonlyMap<number, PacketSpan>): AudioFacts[] {
  const tracks = streams
    .toSorted((a, b) => flag(b, 'default') - flag(a, 'default'))
    .flatMap((stream) => readAudio(stream, spans))
    .toSorted((a, b) => Number(a.role !== undefined) - Number(b.role !== undefined));
  return joinSides(tracks);
}

function readAudio(stream: Raw, spans: ReadonlyMap<number, PacketSpan>): AudioFacts[] {
  const codec = readText(stream.codec_name);
  const channels = readNumber(stream.channels) ?? 0;
  const sampleRateHz = readNumber(stream.sample_rate) ?? 0;
  if (codec === null || codec === 'unknown' || channels < 1 || sampleRateHz < 1) return [];
  const streamIndex = readNumber(stream.index) ?? 0;
  const span = spans.get(streamIndex);
  const startSec = readNumber(stream.start_time) ?? span?.firstSec ?? 0;
  const durationSec = ownDurationSec(stream) ?? (span === undefined ? null : span.endSec - startSec);
  const described = describedBy(stream);
  const role = readAudioRole(described);
  const names = { ...readTrackNames(described), ...(role !== 'main' && { role }) };
  const [profile, bitrateBps] = [readText(stream.profile), readNumber(stream.bit_rate)];
  const coding = { codec, ...(profile !== null && { profile }), ...(bitrateBps !== null && { bitrateBps }) };
  const layout = channels > 2 ? readText(stream.channel_layout) : null;
  const sounding = { channels, ...(layout !== null && layout !== 'unknown' && { layout }), sampleRateHz };
  return [{ streamIndex, ...coding, ...sounding, ...names, startSec, durationSec }];
}

function readSubtitle(stream: Raw): SubtitleFacts {
  const codec = readText(stream.codec_name) ?? 'unknown';
  const described = describedBy(stream);
  const kind = readTextKind(described);
  return {
    streamIndex: readNumber(stream.index) ?? 0,
    codec,
    ...readTrackNames(described),
    ...(kind !== 'full' && { kind }),
    isText: TEXT_SUBTITLES.has(codec),
  };
}

function toUnread(stream: Raw): { streamIndex: number; codec: string } {
  return { streamIndex: readNumber(stream.index) ?? 0, codec: readText(stream.codec_name) ?? 'unknown' };
}

function describedBy(stream: Raw) {
  return { tags: asRaw(stream.tags), disposition: asRaw(stream.disposition) };
}

function flag(stream: Raw, name: string): number {
  return asRaw(stream.disposition)[name] === 1 ? 1 : 0;
}

function ownDurationSec(stream: Raw): number | null {
  const stated = readNumber(stream.duration);
  if (stated !== null && stated > 0) return stated;
  // Matroska stores the duration in a tag, such as 00:00:10.023000000.
  const match = /^(\d+):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(readText(asRaw(stream.tags).DURATION) ?? '');
  if (match === null) return null;
  const endSec = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  const lengthSec = endSec - Math.max(0, readNumber(stream.start_time) ?? 0);
  return lengthSec > 0 ? lengthSec : null;
}

function whyNothingPlays(streams: readonly Raw[]): SourceFault {
  const kinds = streams.map((stream) => `${readText(stream.codec_type) ?? '?'} ${readText(stream.codec_name) ?? '?'}`);
  const found = kinds.length === 0 ? 'no stream' : kinds.slice(0, 8).join(', ');
  return { kind: 'no-playable-stream', message: `Expected a video or audio stream, found ${found}.` };
}
