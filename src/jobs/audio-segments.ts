import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES } from '../media/cmaf/aac.ts';
import { AUDIO_RATE_HZ } from '../media/encode-audio.ts';

const SEGMENT_SEC = (AAC_SEGMENT_FRAMES * AAC_FRAME_TICKS) / AUDIO_RATE_HZ;

/** How many segments of 188 AAC frames a sound track of a length has. */
export function countAudioSegments(durationSec: number): number {
  return Math.max(1, Math.ceil(durationSec / SEGMENT_SEC));
}
