import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from './encode.ts';
import { moveTime } from './encode-filters.ts';
import { GUARD_ARGV, SOURCE_URL } from './open-source.ts';
import type { AudioFacts, SourceFacts } from './source-facts.ts';

/** How long a sound track becomes, and whether its loudness is levelled. */
export type SoundJob = { durationSec: number; normaliseLoudness: boolean };

/** The sample rate of every encoded sound track, and its timescale. */
export const AUDIO_RATE_HZ = 48_000;

const BITRATE_BPS = 128_000;
const FRAGMENT_USEC = 2_000_000;

/** EBU R 128 s2 asks for -20 to -16 LUFS when streaming; one pass, so that the sound is there at once. */
const LOUDNESS_FILTERS = ['loudnorm=I=-16:TP=-1.5:LRA=11', `aresample=${AUDIO_RATE_HZ}`];

/**
 * Plans the encode of one whole sound track to AAC-LC, stereo, 48 kHz, 128 kbit/s, as fragmented MP4 on one
 * pipe; more channels are mixed down. Time 0 is the source's earliest stream: a late track begins with silence. Gaps are filled, and the track
 * is padded or cut to `durationSec`, so that it ends with the picture (to one AAC frame, 21 ms). With `normaliseLoudness` its loudness
 * (EBU R 128) becomes about -16 LUFS. The first packet is the
 * encoder's priming (1024 samples): whoever stores the fragments drops it.
 */
export function planAudioEncode(
  source: Pick<SourceFacts, 'startSec'>,
  track: Pick<AudioFacts, 'streamIndex'>,
  { durationSec, normaliseLoudness }: SoundJob,
): FfmpegPlan {
  const samples = Math.max(1, Math.round(durationSec * AUDIO_RATE_HZ));
  const filters = [
    ...moveTime('asetpts', -source.startSec),
    // Corrects what timestamps say against what was decoded once they are 0.1 s apart; fills in before the first sample.
    `aresample=${AUDIO_RATE_HZ}:async=1:min_hard_comp=0.1:first_pts=0`,
    'aformat=channel_layouts=stereo',
    ...(normaliseLoudness ? LOUDNESS_FILTERS : []),
    'aformat=sample_fmts=fltp',
    `apad=whole_len=${samples}`,
    `atrim=end_sample=${samples}`,
  ];
  return {
    argv: [
      ...QUIET_ARGV,
      ...['-copyts', ...GUARD_ARGV, '-vn', '-sn', '-dn', '-i', SOURCE_URL],
      ...['-map', `0:${track.streamIndex}`, '-af', filters.join(',')],
      ...['-c:a', 'aac', '-b:a', String(BITRATE_BPS), '-ac', '2', '-ar', String(AUDIO_RATE_HZ), '-threads', '1'],
      ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-f', 'mp4'],
      ...['-movflags', 'empty_moov+default_base_moof', '-frag_duration', String(FRAGMENT_USEC)],
      `pipe:${FIRST_OUTPUT_FD}`,
    ],
    outputs: ['aac'],
    durationSec,
  };
}
