import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from '../cmaf/aac.ts';
import { AUDIO_RATE_HZ, type AudioForm, audioBitrateBps, countAudioSamples } from '../cmaf/audio-grid.ts';
import { COPY_LEAD_TICKS } from '../cmaf/copied-aac.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { AudioFacts, SourceFacts } from '../probe/source-facts.ts';
import type { ChunkRange } from '../timeline/chunk-plan.ts';
import { seekLeadSec } from './encode.ts';
import { moveTime } from './encode-filters.ts';
import { MEASURE_FILTER } from './loudness.ts';

/**
 * Length of an audio track, the source's clock at the start of its timeline (`timelineOriginSec`), and its gain.
 * Without a gain the track is measured. `isMeasured` measures alone, without an output.
 */
export type AudioJob = {
  durationSec: number;
  originSec: number;
  gainDb?: number;
  isMeasured?: boolean;
  form?: AudioForm | undefined;
};

/** Location of a track in its source. */
export type PlacedTrack = Pick<AudioFacts, 'streamIndex' | 'rightStreamIndex' | 'channels'>;

const FRAGMENT_USEC = 2_000_000;

const DISCARD = ['-f', 'null', '-'];

/** Minimum time difference that is corrected by silence or a cut, in seconds. Rate conversion rounds to a sample. */
const MIN_CORRECTION_SEC = 0.002;

/** Maximum difference between audio and its time, in seconds, before the audio is moved. */
const MAX_DRIFT_SEC = 0.008;

/**
 * Replaces the times of decoded frames with steady times, which stay within `MAX_DRIFT_SEC` of the source's and change
 * only if necessary. It follows a gap or an overlap, which exceeds the usual jitter of the source's times (register 2,
 * a running mean of the steps), immediately. It follows a drift once the running mean of the drift (register 3) is too
 * large. It does not follow jitter, because each change is audible. Register 0 is the expected time on the source's
 * clock, register 1 on the steady clock.
 */
const STEADY_TIMES = `asetpts='${[
  'st(5,if(isnan(PTS),ld(1),PTS))',
  'st(6,NB_SAMPLES/SR/TB)',
  [
    'if(isnan(PREV_INPTS),st(1,ld(5));st(2,0.005)',
    'st(2,0.95*ld(2)+0.05*min(0.1,abs(ld(5)-ld(0))*TB));st(3,0.8*ld(3)+0.2*(ld(5)-ld(1))*TB);' +
      `if(gt(abs(ld(5)-ld(1))*TB,${MAX_DRIFT_SEC}+2*ld(2)),st(1,ld(5));st(3,0),` +
      `if(gt(abs(ld(3)),${MAX_DRIFT_SEC}),st(1,ld(1)+ld(3)/TB);st(3,0))))`,
  ].join(','),
  'st(0,ld(5)+ld(6))',
  'st(1,ld(1)+ld(6))',
  'ld(1)-ld(6)',
].join(';')}'`;

/**
 * The first frame of a track overlaps with the priming frame, which is dropped. Without that frame, decoders output
 * aliasing that exceeds full scale if a mix begins loud.
 */
const FADE_IN = `afade=t=in:ns=${AAC_FRAME_TICKS}`;

/** Peak of a mix of several channels: -2 dB of full scale. */
const MIX_LIMIT = 0.79;

/** Packets that ffmpeg's AAC encoder outputs before the first sample. */
const PRIMING_FRAMES = 1;

/**
 * Frames encoded before a range and then dropped. After them, the encoder decides like one that started at the
 * beginning.
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
 * down more channels. Samples keep their times: a late track begins with silence, gaps are filled, overlaps are cut,
 * and the track is padded or cut to `durationSec`, so that it ends with the video (to one AAC frame, 21 ms).
 * The first packet is the encoder's priming (1024 samples), which the caller must drop when it stores the fragments.
 */
export function planAudioEncode(track: PlacedTrack, job: AudioJob): FfmpegPlan {
  const { durationSec, originSec } = job;
  const samples = countAudioSamples(durationSec);
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL],
      ...hear(track, { originSec, fromSample: 0, samples }, level(job)),
      ...putOut(job, track.channels),
    ],
    outputs: job.isMeasured === true ? [] : ['aac'],
    codec: 'aac',
    durationSec,
  };
}

/** Maximum bit rate of a copied track, in bits per second. */
const MAX_COPY_BPS = 330_000;

/** Whether a track has the format of `planAudioEncode`, so that its frames can be copied. */
export function mayCopyAudio({ codec, profile, channels, sampleRateHz, bitrateBps, ...track }: AudioFacts): boolean {
  const isStereo = channels === 2 && track.rightStreamIndex === undefined;
  const isLc = codec === 'aac' && profile === 'LC';
  return isLc && isStereo && sampleRateHz === AUDIO_RATE_HZ && (bitrateBps ?? 0) <= MAX_COPY_BPS;
}

/**
 * Plans a copy of all frames of a track, `COPY_LEAD_TICKS` after their times on the timeline. Without a gain they are
 * also decoded and measured.
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
 * Like `planAudioEncode`, for decoded audio. The standard input is interleaved 16-bit stereo at 48 kHz (`placeAudio`)
 * with the length of the track.
 */
export function planPlacedAudioEncode(job: Omit<AudioJob, 'originSec'>): FfmpegPlan {
  const { durationSec } = job;
  const filters = [...level(job), 'aformat=sample_fmts=fltp'];
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-f', 's16le', '-ar', String(AUDIO_RATE_HZ), '-ac', '2', '-i', 'pipe:0'],
      ...['-af', [...filters, ...cutTo(countAudioSamples(durationSec))].join(',')],
      ...putOut(job, 2),
    ],
    outputs: job.isMeasured === true ? [] : ['aac'],
    codec: 'aac',
    durationSec,
  };
}

/**
 * Plans the decode of one whole track to interleaved 16-bit stereo at 48 kHz on the first output, even if parameters
 * change midway or much is damaged. The second output has the time and number of samples of each piece, and is written
 * before the piece. ffmpeg rebuilds its filters when parameters change, so no filter may count from the start.
 */
export function planAudioDecode({ streamIndex, channels }: PlacedTrack, durationSec: number): FfmpegPlan {
  const filters = [
    STEADY_TIMES,
    `aresample=${AUDIO_RATE_HZ}`,
    ...downMix(channels),
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
 * Plans the encode of a single range of segments. The result equals the same range of the whole track, to the sample,
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
      ...hear(track, { originSec, fromSample, samples }, ['asetpts=N']),
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

/** Past the end of the track, decode its last audio, because the padding needs input. */
function seekTo(source: SourceFacts, track: AudioFacts, fromSec: number): number {
  const endSec =
    track.durationSec === null ? fromSec : track.startSec + track.durationSec - source.startSec - END_DOUBT_SEC;
  return Math.max(0, Math.min(fromSec, endSec) - seekLeadSec(source) - DECODE_LEAD_SEC);
}

/** A stretch of a track: its first sample and number of samples, counted from the start of the timeline. */
type Stretch = { originSec: number; fromSample: number; samples: number };

/** Maps a stretch of a track, in stereo and with its exact length, through further filters. */
function hear(track: PlacedTrack, stretch: Stretch, further: readonly string[]): string[] {
  const { streamIndex, rightStreamIndex, channels } = track;
  const placed = [...place(stretch), ...cutTo(stretch.samples)];
  const fade = stretch.fromSample === 0 && channels > 2 ? [FADE_IN] : [];
  const after = [...downMix(channels), ...fade, ...further, 'aformat=sample_fmts=fltp', ...cutTo(stretch.samples)];
  if (rightStreamIndex === undefined) return ['-map', `0:${streamIndex}`, '-af', [...placed, ...after].join(',')];
  const sides = [streamIndex, rightStreamIndex].map((index, side) => `[0:${index}]${placed.join(',')}[side${side}]`);
  const joined = `[side0][side1]join=inputs=2:channel_layout=stereo:map=0.0-FL|1.0-FR,${after.join(',')}[joined]`;
  return ['-filter_complex', [...sides, joined].join(';'), '-map', '[joined]'];
}

/** Moves samples to their times from the start of the timeline. Drops samples before the first one of the stretch. */
function place({ originSec, fromSample }: Stretch): string[] {
  return [
    ...moveTime('asetpts', -originSec),
    STEADY_TIMES,
    // Rate conversion and time correction need separate filters. A filter that does both drops too many samples.
    `aresample=${AUDIO_RATE_HZ}`,
    ...(fromSample === 0 ? [] : [`atrim=start_pts=${fromSample}`]),
    `aresample=${AUDIO_RATE_HZ}:async=1:min_comp=0.00001:min_hard_comp=${MIN_CORRECTION_SEC}:first_pts=${fromSample}`,
  ];
}

/**
 * Converts any number of channels to stereo. Limits the sum of several channels to full scale, with headroom for AAC.
 */
function downMix(channels: number): string[] {
  const limited = `alimiter=limit=${MIX_LIMIT}:level=disabled:latency=1`;
  return ['aformat=sample_fmts=fltp:channel_layouts=stereo', ...(channels > 2 ? [limited] : [])];
}

/** Gives the track its gain, or measures it. */
function level({ gainDb }: Pick<AudioJob, 'gainDb'>): string[] {
  if (gainDb === undefined) return [MEASURE_FILTER];
  return gainDb === 0 ? [] : [`volume=${gainDb}dB`];
}

function cutTo(samples: number): string[] {
  return [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
}

/** The default coder exceeds its input by up to 5 dB where many loud tones coincide. The other coder does not. */
function putOut({ isMeasured = false, form }: Pick<AudioJob, 'isMeasured' | 'form'>, channels: number): string[] {
  if (isMeasured) return DISCARD;
  return [
    ...['-c:a', 'aac', ...(channels > 2 ? ['-aac_coder', 'fast'] : [])],
    ...['-b:a', String(audioBitrateBps(form)), '-ac', '2', '-ar', String(AUDIO_RATE_HZ), '-threads', '1'],
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
