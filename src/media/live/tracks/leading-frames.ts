import type { AccessUnit } from './access-unit.ts';

/** Reason shown in the status of a stream from which `LeadingFrames` removes frames. */
export const OPEN_GOPS =
  'Some pictures are left out: expected closed GOPs, got open ones, whose first pictures refer to the GOP before. ' +
  'Viewers who join cannot decode these. Set the encoder to closed GOPs (x264: open-gop=0).';

/** H.264 reorders at most 16 frames. */
const MAX_LEADING = 16;

/**
 * Recognises leading frames of H.264: they follow a keyframe in decode order, are shown before it, and refer to frames
 * before it. Chromium ends playback with an error if it joins at that keyframe, because H.264 does not mark leading
 * frames, so a decoder cannot skip them. HEVC marks them (RASL).
 */
export class LeadingFrames {
  #keyMs: number | null = null;
  #count = 0;

  /** Examines the next frame in decode order. Returns whether it is a leading frame. */
  take({ isKey, ptsMs }: AccessUnit): boolean {
    if (isKey) this.#keyMs = ptsMs;
    if (isKey || this.#keyMs === null) {
      this.#count = 0;
      return false;
    }
    this.#count += 1;
    const isLeading = ptsMs < this.#keyMs && this.#count <= MAX_LEADING;
    if (!isLeading) this.#keyMs = null;
    return isLeading;
  }
}
