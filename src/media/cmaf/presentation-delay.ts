import type { Sample } from './fragment.ts';

/**
 * The presentation delay of every track that is written here, pictures and audio alike: composition offsets in the
 * fragments are raised by it (trun version 0, ISO 14496-12 section 8.8.8), and the edit list of the init segment takes
 * it off again (section 8.6.6). A CMAF track of the brand `cmfc` (ISO 23000-19 section 7.7.3).
 *
 * Why: ffmpeg and GStreamer show pictures with negative offsets too late, and GStreamer and VLC pass over the edit
 * list. With one delay on both tracks, whoever passes over it is late with both, so in step. Decode times (tfdt) are
 * the presentation times without the delay: players that read nothing else, like Shaka, agree.
 * Measured in docs/decisions/048-presentation-delay.md.
 *
 * A new writer (live, a further source) keeps its samples' offsets as they are, presentation minus decode time, in its
 * `Segment` and in the `.idx`; it takes decode times from `decodeTicks`, heads from `sealFragments` (a part or a
 * fragment of its own: `writeFragmentHead` of `delaySamples`) and the init segment from `writeInitSegment`.
 */
const PRESENTATION_DELAY_SEC = 0.2;

/** The delay in ticks of a track. */
export function presentationDelayTicks(timescale: number): number {
  return Math.round(PRESENTATION_DELAY_SEC * timescale);
}

/** The samples as a fragment's head lists them: offsets raised by the delay that the track's init segment takes off. */
export function delaySamples(samples: readonly Sample[], delayTicks: number): Sample[] {
  return samples.map((sample) => ({
    ...sample,
    compositionOffsetTicks: sample.compositionOffsetTicks + delayTicks,
  }));
}

/**
 * The decode times of a segment's samples, given their presentation times in decode order: the same times, rising.
 * They begin with the segment's first picture whatever the reorder delay. Where pictures are reordered by more than the
 * presentation delay (a low or variable frame rate), decode times are moved ahead as far as no offset exceeds it.
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
  // In a timescale too coarse for it, negative offsets (trun version 1) remain.
  return moved[0] === rising[0] ? moved : rising;
}
