import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from '../cmaf/aac.ts';
import { AUDIO_BITRATE_BPS, AUDIO_RATE_HZ, countAudioSamples } from '../cmaf/audio-grid.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { AudioFacts, SourceFacts } from '../probe/source-facts.ts';
import type { ChunkRange } from '../timeline/chunk-plan.ts';
import { seekLeadSec } from './encode.ts';
import { moveTime } from './encode-filters.ts';

/** How long an audio track becomes, and whether its loudness is levelled. */
export type AudioJob = { durationSec: number; normaliseLoudness: boolean };

const FRAGMENT_USEC = 2_000_000;

/** EBU R 128 s2 requests -20 to -16 LUFS when streaming; one pass, so that the audio is there at once. */
const LOUDNESS_FILTERS = ['loudnorm=I=-16:TP=-1.5:LRA=11', `aresample=${AUDIO_RATE_HZ}`];

/** Packets that ffmpeg's AAC encoder puts out before the first sample. */
const PRIMING_FRAMES = 1;

/** Frames that are encoded before a part and dropped: by then the encoder decides as one that came from the start. */
const PRE_ROLL_FRAMES = 16;

/** The encoder looks ahead: frames at the end of a part are what they are with more to come, not with silence. */
const AFTER_FRAMES = 4;

/** Decoding begins this much earlier still: what decoders take to be in step (MP3 9 frames, Opus 80 ms). */
const DECODE_LEAD_SEC = 0.5;

/** The end of a track as the container says it may be off by this much. */
const END_DOUBT_SEC = 1;

/**
 * Plans the encode of one whole audio track to AAC-LC, stereo, 48 kHz, 128 kbit/s, as fragmented MP4 on one
 * pipe; more channels are mixed down. Time 0 is the source's earliest stream: a late track begins with silence. Gaps
 * are filled, and the track is padded or cut to `durationSec`, so that it ends with the picture (to one AAC frame, 21
 * ms). With `normaliseLoudness` its loudness (EBU R 128) becomes about -16 LUFS. The first packet is the encoder's
 * priming (1024 samples): whoever stores the fragments drops it.
 */
export function planAudioEncode(
  source: Pick<SourceFacts, 'startSec'>,
  track: Pick<AudioFacts, 'streamIndex'>,
  { durationSec, normaliseLoudness }: AudioJob,
): FfmpegPlan {
  const samples = countAudioSamples(durationSec);
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL],
      ...['-map', `0:${track.streamIndex}`],
      ...['-af', [...place(source, 0, normaliseLoudness), ...cutTo(samples)].join(',')],
      ...toAac(),
    ],
    outputs: ['aac'],
    durationSec,
  };
}

/**
 * As `planAudioEncode`, of a source that was decoded already: its standard input is interleaved 16-bit stereo at 48 kHz
 * (`placeAudio`), as long as the track.
 */
export function planPlacedAudioEncode({ durationSec, normaliseLoudness }: AudioJob): FfmpegPlan {
  const filters = [...(normaliseLoudness ? LOUDNESS_FILTERS : []), 'aformat=sample_fmts=fltp'];
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-f', 's16le', '-ar', String(AUDIO_RATE_HZ), '-ac', '2', '-i', 'pipe:0'],
      ...['-af', [...filters, ...cutTo(countAudioSamples(durationSec))].join(',')],
      ...toAac(),
    ],
    outputs: ['aac'],
    durationSec,
  };
}

/**
 * Plans the decode of one whole track to interleaved 16-bit stereo at 48 kHz on the first output, whatever changes
 * midway and however much of it is damaged. The second output says when each piece sounds and how many samples it
 * has; it is written before the piece. ffmpeg builds its filters anew where parameters change, so nothing here may
 * count from the start.
 */
export function planAudioDecode({ streamIndex }: Pick<AudioFacts, 'streamIndex'>, durationSec: number): FfmpegPlan {
  const filters = [
    `aresample=${AUDIO_RATE_HZ}`,
    'aformat=sample_fmts=s16:channel_layouts=stereo',
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
 * Plans the encode of a range of segments alone: as those of the whole track, to the sample, as far as the source's
 * timestamps are. The first `primingFramesOf` packets are to be dropped, and so is what comes after the range. Not for
 * levelled loudness: that depends on all that came before.
 */
export function planAudioRange(
  source: SourceFacts,
  track: AudioFacts,
  { durationSec, range }: { durationSec: number; range: ChunkRange },
): FfmpegPlan {
  const firstFrame = range.fromSegment * AAC_SEGMENT_FRAMES - preRollFrames(range.fromSegment);
  const fromSample = firstFrame * AAC_FRAME_TICKS;
  const afterSample = (range.toSegment * AAC_SEGMENT_FRAMES + AFTER_FRAMES) * AAC_FRAME_TICKS;
  const samples = Math.min(countAudioSamples(durationSec), afterSample) - fromSample;
  const seekSec = seekTo(source, track, fromSample / AUDIO_RATE_HZ);
  // Where the track has ended already, the padding has no times to go on from: samples are counted.
  const filters = [...place(source, fromSample, false), ...cutTo(samples), 'asetpts=N'];
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn'],
      ...(seekSec > 0 ? ['-ss', seekSec.toFixed(6), '-noaccurate_seek'] : []),
      ...['-i', SOURCE_URL, '-map', `0:${track.streamIndex}`, '-af', filters.join(',')],
      ...toAac(),
    ],
    outputs: ['aac'],
    durationSec: samples / AUDIO_RATE_HZ,
  };
}

/** Packets before the first one that counts, of a run that begins with a segment. */
export function primingFramesOf(fromSegment: number): number {
  return PRIMING_FRAMES + preRollFrames(fromSegment);
}

function preRollFrames(fromSegment: number): number {
  return Math.min(PRE_ROLL_FRAMES, fromSegment * AAC_SEGMENT_FRAMES);
}

/** Past the end of the track its last audio is decoded, so that there is something to pad. */
function seekTo(source: SourceFacts, track: AudioFacts, fromSec: number): number {
  const endSec =
    track.durationSec === null ? fromSec : track.startSec + track.durationSec - source.startSec - END_DOUBT_SEC;
  return Math.max(0, Math.min(fromSec, endSec) - seekLeadSec(source) - DECODE_LEAD_SEC);
}

/** Puts samples at their times from the timeline's start on; those before the first one that is wanted are dropped. */
function place({ startSec }: Pick<SourceFacts, 'startSec'>, fromSample: number, normaliseLoudness: boolean): string[] {
  // What resamples drops too much when it is to drop by itself: that is done between two, of which the second does not
  // resample.
  const dropped = fromSample === 0 ? [] : [resample(null), `atrim=start_pts=${fromSample}`];
  return [
    ...moveTime('asetpts', -startSec),
    ...dropped,
    resample(fromSample),
    'aformat=channel_layouts=stereo',
    ...(normaliseLoudness ? LOUDNESS_FILTERS : []),
    'aformat=sample_fmts=fltp',
  ];
}

/**
 * Corrects what timestamps say against what was decoded once they are 0.1 s apart, and fills in before the first
 * sample, to the sample.
 */
function resample(firstSample: number | null): string {
  const first = firstSample === null ? '' : `:min_comp=0.00001:first_pts=${firstSample}`;
  return `aresample=${AUDIO_RATE_HZ}:async=1:min_hard_comp=0.1${first}`;
}

function cutTo(samples: number): string[] {
  return [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
}

function toAac(): string[] {
  return [
    ...['-c:a', 'aac', '-b:a', String(AUDIO_BITRATE_BPS), '-ac', '2', '-ar', String(AUDIO_RATE_HZ), '-threads', '1'],
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-f', 'mp4'],
    ...['-movflags', 'empty_moov+default_base_moof', '-frag_duration', String(FRAGMENT_USEC)],
    `pipe:${FIRST_OUTPUT_FD}`,
  ];
}
