import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from '../cmaf/aac.ts';
import { AUDIO_RATE_HZ, type AudioForm, audioBitrateBps, channelsOf, countAudioSamples } from '../cmaf/audio-grid.ts';
import { COPY_LEAD_TICKS } from '../cmaf/copied-aac.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { AudioFacts, SourceFacts } from '../probe/source-facts.ts';
import type { ChunkRange } from '../timeline/chunk-plan.ts';
import { cutTo, hear, mix, type PlacedTrack, STEADY_TIMES } from './audio-filters.ts';
import { seekLeadSec } from './encode.ts';
import { MEASURE_FILTER } from './loudness.ts';

/**
 * Length of an audio track, the source's clock at the start of its timeline (`timelineOriginSec`), and its gain.
 * Without a gain, the run measures the loudness. With `isMeasured`, the run only measures and has no output.
 */
export type AudioJob = {
  durationSec: number;
  originSec: number;
  gainDb?: number;
  isMeasured?: boolean;
  form?: AudioForm | undefined;
};

const FRAGMENT_USEC = 2_000_000;

const DISCARD = ['-f', 'null', '-'];

/** Packets that ffmpeg's AAC encoder outputs before the first sample. */
const PRIMING_FRAMES = 1;

/**
 * Frames encoded before a range and then dropped. After them, the encoder produces the same frames as one that started
 * at the beginning of the track.
 */
const PRE_ROLL_FRAMES = 16;

/**
 * Frames of audio after a range. The encoder looks ahead, so the end of a range must be followed by audio, not by
 * silence.
 */
const AFTER_FRAMES = 4;

/** Additional lead of decoding, in seconds. Decoders need it to synchronise (MP3 9 frames, Opus 80 ms). */
const DECODE_LEAD_SEC = 0.5;

/** Maximum error of a track's end as declared by the container, in seconds. */
const END_DOUBT_SEC = 1;

/**
 * Plans the encode of one whole audio track to AAC-LC, stereo, 48 kHz, 128 kbit/s, as fragmented MP4 on one pipe. Mixes
 * down more channels, unless the form is `surround`. Samples keep their times: a late track begins with silence, gaps
 * are filled, overlaps are cut, and the track is padded or cut to `durationSec`, so that it ends with the video (to one
 * AAC frame, 21 ms).
 * The first packet is the encoder's priming (1024 samples), which the caller must drop when it stores the fragments.
 */
export function planAudioEncode(track: PlacedTrack, job: AudioJob): FfmpegPlan {
  const { durationSec, originSec } = job;
  const samples = countAudioSamples(durationSec);
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL],
      ...hear(track, { originSec, fromSample: 0, samples, form: job.form }, level(job)),
      ...putOut(job, track.channels),
    ],
    outputs: job.isMeasured === true ? [] : ['aac'],
    codec: 'aac',
    durationSec,
  };
}

/** Maximum bit rate of a copied stereo track, in bits per second. */
const MAX_COPY_BPS = 330_000;
/**
 * Maximum bit rate of a copied 5.1 track, in bits per second. It adds to the bit rate of every variant above 360p, even
 * for viewers of stereo.
 */
const MAX_SURROUND_COPY_BPS = 460_000;

/**
 * Whether a track has the format of `planAudioEncode`, so that its frames can be copied. AAC with its own order of
 * channels (a program config element, as ffmpeg writes for `5.1(side)`) has no layout in `AudioFacts`, and is encoded.
 */
export function mayCopyAudio(
  { codec, profile, channels, sampleRateHz, bitrateBps, ...track }: AudioFacts,
  form?: AudioForm,
): boolean {
  const hasChannels = channels === channelsOf(form) && track.rightStreamIndex === undefined;
  const isLc = codec === 'aac' && profile === 'LC' && (form !== 'surround' || track.layout === '5.1');
  const maxBps = form === 'surround' ? MAX_SURROUND_COPY_BPS : MAX_COPY_BPS;
  return form !== 'low' && isLc && hasChannels && sampleRateHz === AUDIO_RATE_HZ && (bitrateBps ?? 0) <= maxBps;
}

/**
 * Plans a copy of all frames of a track, `COPY_LEAD_TICKS` after their times on the timeline. Without a gain, the
 * frames are also decoded and their loudness is measured.
 */
export function planAudioCopy(
  { streamIndex }: Pick<AudioFacts, 'streamIndex'>,
  { durationSec, originSec, gainDb }: AudioJob,
): FfmpegPlan {
  const offsetSec = COPY_LEAD_TICKS / AUDIO_RATE_HZ - originSec;
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL, '-map', `0:${streamIndex}`, '-c', 'copy'],
      ...['-output_ts_offset', offsetSec.toFixed(6), '-avoid_negative_ts', 'disabled'],
      // Keep the packets' own times instead of counting from the first one.
      ...fragments('+frag_discont'),
      ...(gainDb === undefined ? ['-map', `0:${streamIndex}`, '-af', MEASURE_FILTER, ...DISCARD] : []),
    ],
    outputs: ['aac'],
    codec: 'aac',
    durationSec,
  };
}

/**
 * Like `planAudioEncode`, for decoded audio. The standard input is interleaved 16-bit audio at 48 kHz (`placeAudio`)
 * with the channels of the form and the length of the track.
 */
export function planPlacedAudioEncode(job: Omit<AudioJob, 'originSec'>): FfmpegPlan {
  const { durationSec } = job;
  const channels = channelsOf(job.form);
  const filters = [...level(job), 'aformat=sample_fmts=fltp'];
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-f', 's16le', '-ar', String(AUDIO_RATE_HZ), '-ac', String(channels), '-i', 'pipe:0'],
      ...['-af', [...filters, ...cutTo(countAudioSamples(durationSec))].join(',')],
      ...putOut(job, channels),
    ],
    outputs: job.isMeasured === true ? [] : ['aac'],
    codec: 'aac',
    durationSec,
  };
}

/**
 * Plans the decode of one whole track to interleaved 16-bit audio at 48 kHz on the first output, with the channels of
 * the form, even if parameters change within the track or many packets are damaged. The second output has the time and
 * number of samples of each decoded frame, and is written before the frame. ffmpeg rebuilds its filters when parameters
 * change, so no filter may count from the start.
 */
export function planAudioDecode(
  { streamIndex, channels }: PlacedTrack,
  { durationSec, form }: Pick<AudioJob, 'durationSec' | 'form'>,
): FfmpegPlan {
  const filters = [
    STEADY_TIMES,
    `aresample=${AUDIO_RATE_HZ}`,
    ...mix(channels, form),
    'aformat=sample_fmts=s16',
    'astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=Number_of_samples',
    `ametadata=print:file=pipe\\\\:${FIRST_OUTPUT_FD + 1}:direct=1`,
  ];
  return {
    argv: [
      ...[...QUIET_ARGV, '-max_error_rate', '1'],
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL, '-map', `0:${streamIndex}`],
      ...['-af', filters.join(','), '-f', 's16le', `pipe:${FIRST_OUTPUT_FD}`],
    ],
    outputs: ['pcm', 'times'],
    durationSec,
  };
}

/**
 * Plans the encode of a single range of segments. The result is sample-identical to the same range of the whole track,
 * as far as the source's timestamps allow. The caller drops the first `primingFramesOf` packets and everything after
 * the range. Does not support normalised loudness, which depends on all earlier audio.
 */
export function planAudioRange(
  source: SourceFacts,
  track: AudioFacts,
  { durationSec, originSec, range, form }: AudioJob & { range: ChunkRange },
): FfmpegPlan {
  const firstFrame = range.fromSegment * AAC_SEGMENT_FRAMES - preRollFrames(range.fromSegment);
  const fromSample = firstFrame * AAC_FRAME_TICKS;
  const afterSample = (range.toSegment * AAC_SEGMENT_FRAMES + AFTER_FRAMES) * AAC_FRAME_TICKS;
  const samples = Math.min(countAudioSamples(durationSec), afterSample) - fromSample;
  const seekSec = seekTo(source, track, fromSample / AUDIO_RATE_HZ);
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn'],
      ...(seekSec > 0 ? ['-ss', seekSec.toFixed(6), '-noaccurate_seek'] : []),
      ...['-i', SOURCE_URL],
      // If the track has already ended, the padding has no times to continue from, so count samples.
      ...hear(track, { originSec, fromSample, samples, form }, ['asetpts=N']),
      ...putOut({ form }, track.channels),
    ],
    outputs: ['aac'],
    codec: 'aac',
    durationSec: samples / AUDIO_RATE_HZ,
  };
}

/** Returns the number of packets to drop at the start of a run from a given segment. */
export function primingFramesOf(fromSegment: number): number {
  return PRIMING_FRAMES + preRollFrames(fromSegment);
}

function preRollFrames(fromSegment: number): number {
  return Math.min(PRE_ROLL_FRAMES, fromSegment * AAC_SEGMENT_FRAMES);
}

/**
 * Returns the seek target, in seconds after the start of the source. Past the end of the track, it is before the last
 * audio, because the padding filter needs input.
 */
function seekTo(source: SourceFacts, track: AudioFacts, fromSec: number): number {
  const endSec =
    track.durationSec === null ? fromSec : track.startSec + track.durationSec - source.startSec - END_DOUBT_SEC;
  return Math.max(0, Math.min(fromSec, endSec) - seekLeadSec(source) - DECODE_LEAD_SEC);
}

/** Returns a filter that applies the gain, or measures the loudness if there is no gain yet. */
function level({ gainDb }: Pick<AudioJob, 'gainDb'>): string[] {
  if (gainDb === undefined) return [MEASURE_FILTER];
  return gainDb === 0 ? [] : [`volume=${gainDb}dB`];
}

/**
 * Returns the output options. ffmpeg's default AAC coder exceeds the level of its input by up to 5 dB where many loud
 * tones coincide, so another coder is used.
 */
function putOut({ isMeasured = false, form }: Pick<AudioJob, 'isMeasured' | 'form'>, channels: number): string[] {
  if (isMeasured) return DISCARD;
  return [
    ...['-c:a', 'aac', ...(channels > 2 ? ['-aac_coder', 'fast'] : [])],
    ...['-b:a', String(audioBitrateBps(form)), '-ac', String(channelsOf(form))],
    ...['-ar', String(AUDIO_RATE_HZ), '-threads', '1'],
    ...fragments(),
  ];
}

function fragments(flags = ''): string[] {
  return [
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-f', 'mp4'],
    ...['-movflags', `empty_moov+default_base_moof${flags}`, '-frag_duration', String(FRAGMENT_USEC)],
    `pipe:${FIRST_OUTPUT_FD}`,
  ];
}
