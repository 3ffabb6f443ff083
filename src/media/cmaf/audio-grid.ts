import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from './aac.ts';
import { encodeFragmentTable } from './fragment-table.ts';

/** The sample rate of every encoded audio track, and its timescale. */
export const AUDIO_RATE_HZ = 48_000;

/** What every encoded audio track is held to, bits per second. */
export const AUDIO_BITRATE_BPS = 128_000;

/** By how much a segment may go over that. */
const MOST_OVER_RATE = 1.1;

/** How many samples an audio track of a length has: whole ones, one at least. */
export function countAudioSamples(durationSec: number): number {
  return Math.max(1, Math.round(durationSec * AUDIO_RATE_HZ));
}

/** How many segments of 188 AAC frames an audio track of a length has. */
export function countAudioSegments(durationSec: number): number {
  return Math.ceil(countAudioFrames(durationSec) / AAC_SEGMENT_FRAMES);
}

/** Lists a whole audio track before any of it is encoded, as `listOnDemand` does with pictures. */
export function listAudioOnDemand(durationSec: number): Buffer {
  const total = countAudioFrames(durationSec);
  const bytesOfFrame = (MOST_OVER_RATE * AUDIO_BITRATE_BPS * AAC_FRAME_TICKS) / AUDIO_RATE_HZ / 8;
  return encodeFragmentTable(
    Array.from({ length: countAudioSegments(durationSec) }, (_, segment) => {
      const samples = Math.min(AAC_SEGMENT_FRAMES, total - segment * AAC_SEGMENT_FRAMES);
      return { payloadBytes: Math.ceil(samples * bytesOfFrame), prefixBytes: 0, samples, startsSegment: true };
    }),
  );
}

/** How many AAC frames an audio track of a length has. */
export function countAudioFrames(durationSec: number): number {
  return Math.ceil(countAudioSamples(durationSec) / AAC_FRAME_TICKS);
}
