import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from './aac.ts';
import { encodeFragmentTable } from './fragment-table.ts';

/** Sample rate and timescale of every encoded audio track. */
export const AUDIO_RATE_HZ = 48_000;

/**
 * Variant of an audio track, in addition to the usual stereo at 128 kbit/s. `low` is stereo at a lower bitrate, for low
 * rungs. `surround` has the six channels of 5.1.
 */
export type AudioForm = 'low' | 'surround';

/** Target bitrate of an encoded audio track in the usual stereo form, in bits per second. */
export const AUDIO_BITRATE_BPS = 128_000;

const FORM_BITRATES_BPS: Record<AudioForm, number> = { low: 64_000, surround: 384_000 };

/** Returns the target bitrate of an encoded audio track. */
export function audioBitrateBps(form: AudioForm | undefined): number {
  return form === undefined ? AUDIO_BITRATE_BPS : FORM_BITRATES_BPS[form];
}

/** Returns the number of channels of an encoded audio track. */
export function channelsOf(form: AudioForm | undefined): 2 | 6 {
  return form === 'surround' ? 6 : 2;
}

/** Factor by which a segment may exceed the target bit rate. */
const MAX_OVER_RATE = 1.1;

/** Returns the number of samples of an audio track, at least 1. */
export function countAudioSamples(durationSec: number): number {
  return Math.max(1, Math.round(durationSec * AUDIO_RATE_HZ));
}

/** Returns the number of segments of 188 AAC frames in an audio track. */
export function countAudioSegments(durationSec: number): number {
  return Math.ceil(countAudioFrames(durationSec) / AAC_SEGMENT_FRAMES);
}

/** Lists the segments of a whole audio track before any of it is encoded, like `listOnDemand` for video. */
export function listAudioOnDemand(durationSec: number, form?: AudioForm): Buffer {
  const total = countAudioFrames(durationSec);
  const bytesOfFrame = (MAX_OVER_RATE * audioBitrateBps(form) * AAC_FRAME_TICKS) / AUDIO_RATE_HZ / 8;
  return encodeFragmentTable(
    Array.from({ length: countAudioSegments(durationSec) }, (_, segment) => {
      const samples = Math.min(AAC_SEGMENT_FRAMES, total - segment * AAC_SEGMENT_FRAMES);
      return { payloadBytes: Math.ceil(samples * bytesOfFrame), prefixBytes: 0, samples, startsSegment: true };
    }),
  );
}

/** Returns the number of AAC frames in an audio track. */
export function countAudioFrames(durationSec: number): number {
  return Math.ceil(countAudioSamples(durationSec) / AAC_FRAME_TICKS);
}
