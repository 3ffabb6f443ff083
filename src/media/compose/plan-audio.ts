import { AAC_FRAME_TICKS } from '../cmaf/aac.ts';
import { AUDIO_RATE_HZ } from '../cmaf/audio-grid.ts';
import type { Piece } from './plan-pieces.ts';

/** AAC frames of a part: `frames` frames from `sourceFrame` on, which start at `firstFrame` of the new audio. */
export type AudioSpan = { part: number; firstFrame: number; sourceFrame: number; frames: number };

const FRAMES_PER_SEC = AUDIO_RATE_HZ / AAC_FRAME_TICKS;

/**
 * Chooses the AAC frames of each part. A frame lasts 21 ms, so audio and video differ by at most half of that in each
 * part. The difference does not accumulate over parts.
 */
export function planAudio(pieces: readonly Piece[], timescale: number): AudioSpan[] {
  const spans: AudioSpan[] = [];
  let newSec = 0;
  for (const [part, { fromSec, durationSec }] of partsOf(pieces, timescale)) {
    const firstFrame = Math.round(newSec * FRAMES_PER_SEC);
    const endFrame = Math.round((newSec + durationSec) * FRAMES_PER_SEC);
    const sourceFrame = Math.max(0, Math.round(fromSec * FRAMES_PER_SEC + (firstFrame - newSec * FRAMES_PER_SEC)));
    spans.push({ part, firstFrame, sourceFrame, frames: endFrame - firstFrame });
    newSec += durationSec;
  }
  return spans;
}

function partsOf(pieces: readonly Piece[], timescale: number): Map<number, { fromSec: number; durationSec: number }> {
  const parts = new Map<number, { fromSec: number; durationSec: number }>();
  for (const { part, fromTick, toTick } of pieces) {
    const found = parts.get(part) ?? { fromSec: fromTick / timescale, durationSec: 0 };
    parts.set(part, { ...found, durationSec: found.durationSec + (toTick - fromTick) / timescale });
  }
  return parts;
}
