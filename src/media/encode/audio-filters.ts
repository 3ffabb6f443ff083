import { AAC_FRAME_TICKS } from '../cmaf/aac.ts';
import { AUDIO_RATE_HZ, type AudioForm, channelsOf } from '../cmaf/audio-grid.ts';
import type { AudioFacts } from '../probe/source-facts.ts';
import { moveTime } from './encode-filters.ts';

/** Location of a track in its source. */
export type PlacedTrack = Pick<AudioFacts, 'streamIndex' | 'rightStreamIndex' | 'channels'>;

/**
 * Minimum time difference that is corrected by inserting silence or cutting samples, in seconds. Rate conversion rounds
 * to a sample.
 */
const MIN_CORRECTION_SEC = 0.002;

/** Maximum difference between the position of audio and its timestamp, in seconds, before the audio is moved. */
const MAX_DRIFT_SEC = 0.008;

/**
 * Filter that replaces the times of decoded frames with steady times, which stay within `MAX_DRIFT_SEC` of the source's
 * times and change only if necessary. It follows a gap or an overlap immediately, if this exceeds the usual jitter of
 * the source's times (register 2, a running mean of the steps). It follows a drift once the running mean of the drift
 * (register 3) is too large. It does not follow jitter, because each change is audible. Register 0 is the expected time
 * on the source's clock, register 1 on the steady clock.
 */
export const STEADY_TIMES = `asetpts='${[
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

/** A range of a track: its first sample, counted from the start of the timeline, and its number of samples. */
type Stretch = { originSec: number; fromSample: number; samples: number; form: AudioForm | undefined };

/**
 * Returns ffmpeg options that map a range of a track, with the channels of its form and its exact length, through
 * additional filters.
 */
export function hear(track: PlacedTrack, stretch: Stretch, further: readonly string[]): string[] {
  const { streamIndex, rightStreamIndex, channels } = track;
  const placed = [...place(stretch), ...cutTo(stretch.samples)];
  const fade = stretch.fromSample === 0 && channels > 2 ? [FADE_IN] : [];
  const after = [
    ...mix(channels, stretch.form),
    ...fade,
    ...further,
    'aformat=sample_fmts=fltp',
    ...cutTo(stretch.samples),
  ];
  if (rightStreamIndex === undefined) return ['-map', `0:${streamIndex}`, '-af', [...placed, ...after].join(',')];
  const sides = [streamIndex, rightStreamIndex].map((index, side) => `[0:${index}]${placed.join(',')}[side${side}]`);
  const joined = `[side0][side1]join=inputs=2:channel_layout=stereo:map=0.0-FL|1.0-FR,${after.join(',')}[joined]`;
  return ['-filter_complex', [...sides, joined].join(';'), '-map', '[joined]'];
}

/** Moves samples to their times from the start of the timeline. Drops samples before the start of the range. */
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
 * Converts any number of channels to those of a form. Limits the sum of several channels to full scale, with headroom
 * for AAC.
 */
export function mix(channels: number, form: AudioForm | undefined): string[] {
  const limited = `alimiter=limit=${MIX_LIMIT}:level=disabled:latency=1`;
  const layout = form === 'surround' ? '5.1' : 'stereo';
  return [`aformat=sample_fmts=fltp:channel_layouts=${layout}`, ...(channels > channelsOf(form) ? [limited] : [])];
}

/** Pads or cuts a track to a number of samples. */
export function cutTo(samples: number): string[] {
  return [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
}
