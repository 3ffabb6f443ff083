import type { Sample } from './fragment.ts';

/**
 * Presentation delay of every track that this project writes, for video and audio, in seconds. Live streams have none
 * (decision 335). The fragments add it to the composition offsets (trun version 0, ISO 14496-12 section 8.8.8), and the
 * edit list of the init segment subtracts it again (section 8.6.6). This makes a CMAF track of the brand `cmfc` (ISO
 * 23000-19 section 7.7.3).
 *
 * Why: ffmpeg and GStreamer show frames with negative offsets too late, and GStreamer and VLC ignore the edit list.
 * With one delay on both tracks, players that ignore it delay both, so they stay in sync. Decode times (tfdt) are the
 * presentation times without the delay, which suits players that read nothing else, like Shaka. Measurements are in
 * docs/decisions/048-presentation-delay.md.
 *
 * A new writer (live, another source) keeps the offsets of its samples, presentation minus decode time, unchanged in
 * its `Segment` and in the `.idx`. It uses `decodeTicks` for decode times, `sealFragments` for headers (for a part or a
 * single fragment, `writeFragmentHead` of `delaySamples`) and `writeInitSegment` for the init segment.
 */
const PRESENTATION_DELAY_SEC = 0.2;

/** Returns the delay in ticks of a track's timescale. */
export function presentationDelayTicks(timescale: number): number {
  return Math.round(PRESENTATION_DELAY_SEC * timescale);
}

/** Returns the samples for a fragment header: their offsets include the delay that the init segment subtracts. */
export function delaySamples(samples: readonly Sample[], delayTicks: number): Sample[] {
  return samples.map((sample) => ({
    ...sample,
    compositionOffsetTicks: sample.compositionOffsetTicks + delayTicks,
  }));
}

/**
 * Returns the decode times of a segment's samples, given their presentation times in decode order: the same times,
 * sorted. They begin with the segment's first frame, whatever the reorder delay. If frames are reordered by more than
 * the presentation delay (a low or variable frame rate), decode times are moved earlier so that no offset exceeds it.
 */
export function decodeTicks(presentTicks: readonly number[], timescale: number): number[] {
  const rising = [...presentTicks].sort((left, right) => left - right);
  const delayTicks = presentationDelayTicks(timescale);
  const moved = [...rising];
  let nextTick = Number.POSITIVE_INFINITY;
  for (let index = moved.length - 1; index >= 0; index -= 1) {
    const latest = Math.min((presentTicks[index] ?? 0) + delayTicks, nextTick - 1);
    nextTick = Math.min(moved[index] ?? 0, latest);
    moved[index] = nextTick;
  }
  // If the timescale is too coarse for that, keep the negative offsets (trun version 1).
  return moved[0] === rising[0] ? moved : rising;
}
