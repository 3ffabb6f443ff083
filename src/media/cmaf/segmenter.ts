import { BrokenMedia } from '../bmff/broken-media.ts';
import type { CutList } from '../timeline/cut-list.ts';
import type { Sample } from './fragment.ts';
import { decodeTicks } from './presentation-delay.ts';
import { type FragmentParts, type Segment, sealFragments } from './segment.ts';

/** Input of a segmenter, as returned by `readFragment`. */
export type InputFragment = { baseTick: number; samples: readonly Sample[]; payload: Buffer };

/** Joins the fragments of one encoder run into segments. Keeps at most one unfinished segment in memory. */
export type Segmenter = {
  /** Adds the next fragment and returns the segments that it completes. */
  push(fragment: InputFragment): Segment[];
  /** Ends the run and returns the last segment. */
  end(): Segment[];
};

export type VideoRun = {
  cutList: CutList;
  /** Number of the segment that starts with the run's first frame. */
  firstSegment: number;
  /** Number of segments that the run must produce. Default: all up to the end of the timeline. */
  segmentCount?: number;
  /**
   * Presentation times that the run must produce, ascending, in ticks of the cut list: all frames of the source in
   * these segments. If omitted, only the cuts and segment boundaries of a `source` grid are checked.
   */
  expectedTicks?: readonly number[];
  /**
   * Accepts segments of a `source` grid with missing frames, for a source with damaged packets. The previous frame is
   * shown longer. The next frame replaces a missing first frame.
   */
  mayLackFrames?: boolean;
  /** Accepts a run to the end of the timeline that ends before its last segment, for a source shorter than declared. */
  mayEndEarly?: boolean;
};

/**
 * Maximum fraction of missing frames in a segment. If a keyframe cannot be decoded, the frames after it are lost too,
 * up to about half a second.
 */
const MAX_MISSING_SHARE = 0.75;

type TimedSample = Sample & { presentTick: number };
type TimedFragment = { samples: TimedSample[]; payload: Buffer };

/**
 * Cuts the fragments of one video encoder run at the timeline's cuts and assigns the timeline's times.
 *
 * The run's clock is shifted once, so that its first presented frame is at the first cut. The decode times of every
 * segment are its presentation times in ascending order (`decodeTicks`). They start at the cut and have no gap or
 * overlap within and between runs. The last frame of a segment lasts until the next cut, whatever the encoder wrote.
 *
 * Throws BrokenMedia with expected and actual values if a segment does not start with a sync sample exactly at its cut,
 * if a frame is outside its segment, or if a frame is missing, duplicate or extra. The last segment of the timeline may
 * end early. Its duration is then that of its frames, and the caller decides whether the source was that short. On a
 * source grid without expected times, it always lasts to the end of the timeline.
 */
export function createVideoSegmenter(run: VideoRun): Segmenter {
  const plan = planRun(run);
  let shiftTicks: number | null = null;
  let current = run.firstSegment;
  let open: TimedFragment[] = [];

  function close(isLast: boolean): Segment {
    const segment = closeSegment(plan, current, open, isLast);
    open = [];
    current += 1;
    return segment;
  }

  return {
    push(fragment) {
      const [first] = fragment.samples;
      if (first === undefined) return [];
      shiftTicks ??= plan.startTick(current) - (fragment.baseTick + first.compositionOffsetTicks);
      const done: Segment[] = [];
      let rest: TimedFragment | null = timeFragment(fragment, shiftTicks);
      while (rest !== null) {
        const at = plan.startTick(current + 1);
        const cut: number = current + 1 < plan.endSegment ? findCut(rest, at) : -1;
        const parts: [TimedFragment | null, TimedFragment | null] =
          cut === -1 ? [rest, null] : splitFragment(rest, cut);
        if (parts[0] !== null) open.push(parts[0]);
        if (cut !== -1) done.push(close(false));
        rest = parts[1];
      }
      // The segment is complete, so return it now instead of with the next fragment.
      if (current + 1 < plan.endSegment && isFull(plan, current, open)) done.push(close(false));
      return done;
    },
    end() {
      if (open.length === 0)
        throw new BrokenMedia(`Expected frames of segment ${current}, but the run ended without any.`);
      const segment = close(true);
      if (current < plan.endSegment && !plan.mayEndEarly) {
        throw new BrokenMedia(`Expected segments up to ${plan.endSegment - 1}, but the run ended with ${current - 1}.`);
      }
      return [segment];
    },
  };
}

function isFull(plan: RunPlan, number: number, open: readonly TimedFragment[]): boolean {
  const expected = expectedTicks(plan, plan.startTick(number), plan.startTick(number + 1));
  const frames = open.reduce((sum, { samples }) => sum + samples.length, 0);
  return expected !== null && frames > 0 && expected(frames) === null;
}

type RunPlan = {
  timescale: number;
  /** Number of the segment after the run's last. */
  endSegment: number;
  isTimelineEnd: boolean;
  mayEndEarly: boolean;
  mayLackFrames: boolean;
  /** Ticks of one frame on an encoded grid. Null on a source grid. */
  frameTicks: number | null;
  expectedTicks: readonly number[] | null;
  startTick(segment: number): number;
};

function planRun(run: VideoRun): RunPlan {
  const { cutList, firstSegment } = run;
  const { startTicks, grid, timescale } = cutList;
  const endSegment = firstSegment + (run.segmentCount ?? startTicks.length - firstSegment);
  if (firstSegment < 0 || endSegment <= firstSegment || endSegment > startTicks.length) {
    throw new Error(`Expected segments within 0 to ${startTicks.length}, got ${firstSegment} to ${endSegment}.`);
  }
  const frameTicks = grid.kind === 'frames' ? (timescale * grid.rate.den) / grid.rate.num : null;
  if (frameTicks !== null && !Number.isInteger(frameTicks)) {
    throw new Error(
      `Expected a timescale in which a frame lasts whole ticks, got ${frameTicks} ticks at ${timescale}.`,
    );
  }
  const isTimelineEnd = endSegment === startTicks.length;
  return {
    timescale,
    endSegment,
    isTimelineEnd,
    mayEndEarly: isTimelineEnd && (run.mayEndEarly ?? false),
    mayLackFrames: (run.mayLackFrames ?? false) && grid.kind === 'source',
    frameTicks,
    expectedTicks: run.expectedTicks ?? null,
    startTick: (segment) => startTicks[segment] ?? cutList.endTicks,
  };
}

function timeFragment(fragment: InputFragment, shiftTicks: number): TimedFragment {
  let decodeTick = fragment.baseTick + shiftTicks;
  const samples = fragment.samples.map((sample) => {
    const presentTick = decodeTick + sample.compositionOffsetTicks;
    decodeTick += sample.durationTicks;
    return { ...sample, presentTick };
  });
  return { samples, payload: fragment.payload };
}

/**
 * Returns the index of the sync sample at the cut, or -1. A later sync sample closes the segment too, and the check
 * reports it.
 */
function findCut(fragment: TimedFragment, cutTick: number): number {
  return fragment.samples.findIndex((sample) => sample.isSync && sample.presentTick >= cutTick);
}

function splitFragment(fragment: TimedFragment, at: number): [TimedFragment | null, TimedFragment] {
  if (at === 0) return [null, fragment];
  const head = fragment.samples.slice(0, at);
  const headBytes = head.reduce((sum, sample) => sum + sample.sizeBytes, 0);
  return [
    { samples: head, payload: fragment.payload.subarray(0, headBytes) },
    { samples: fragment.samples.slice(at), payload: fragment.payload.subarray(headBytes) },
  ];
}

function closeSegment(plan: RunPlan, number: number, open: readonly TimedFragment[], isLast: boolean): Segment {
  const startTick = plan.startTick(number);
  if (plan.mayLackFrames) openAtCut(open, startTick);
  const samples = open.flatMap((fragment) => fragment.samples);
  const ticks = samples.map((sample) => sample.presentTick).sort((left, right) => left - right);
  const mayBeShort = isLast && (number === plan.endSegment - 1 ? plan.isTimelineEnd : plan.mayEndEarly);
  checkOpening(number, samples[0], ticks[0], startTick);
  checkTicks(plan, number, ticks, mayBeShort);
  const endTick = mayBeShort ? shortEnd(plan, number, ticks) : plan.startTick(number + 1);
  return {
    number,
    timescale: plan.timescale,
    startTick,
    durationTicks: endTick - startTick,
    fragments: sealFragments({ number, timescale: plan.timescale }, retime(open, endTick, plan.timescale)),
  };
}

/**
 * If the frame at the cut was not decodable, the next frame, which the encoder made the sync sample, is shown from the
 * cut on.
 */
function openAtCut(open: readonly TimedFragment[], cutTick: number): void {
  const first = open[0]?.samples[0];
  if (first?.isSync) first.presentTick = Math.min(first.presentTick, cutTick);
}

/**
 * Returns the end of the timeline's last frames. The last frame lasts one grid step, or as long as the previous frame
 * of the source.
 */
function shortEnd(plan: RunPlan, number: number, ticks: readonly number[]): number {
  const start = plan.startTick(number);
  const next = plan.startTick(number + 1);
  const expected = expectedTicks(plan, start, next);
  const isWhole = expected === null ? number === plan.endSegment - 1 : expected(ticks.length) === null;
  if (isWhole) return next;
  const lastTick = ticks.at(-1) ?? start;
  return Math.min(next, lastTick + (plan.frameTicks ?? lastTick - (ticks.at(-2) ?? lastTick - 1)));
}

function checkOpening(number: number, first: TimedSample | undefined, lowest: number | undefined, at: number): void {
  if (first?.isSync && first.presentTick === at && lowest === at) return;
  const received =
    first === undefined
      ? 'no frame'
      : `a ${first.isSync ? '' : 'non-'}sync sample at tick ${first.presentTick}, the earliest frame at ${lowest}`;
  throw new BrokenMedia(`Expected segment ${number} to open with a sync sample at tick ${at}, got ${received}.`);
}

/**
 * Checks that every frame occurs once and none is outside the segment: exactly on an encoded grid or against known
 * source times, else ascending within the boundaries.
 */
function checkTicks(plan: RunPlan, number: number, ticks: readonly number[], mayBeShort: boolean): void {
  const start = plan.startTick(number);
  const next = plan.startTick(number + 1);
  const expected = expectedTicks(plan, start, next);
  if (expected !== null && plan.mayLackFrames) {
    checkSomeTicks(number, ticks, expected);
    return;
  }
  ticks.forEach((tick, index) => {
    const previous = ticks[index - 1] ?? start - 1;
    const wanted = expected === null ? `above ${previous} and below ${next}` : expected(index);
    if (expected === null ? tick > previous && tick < next : tick === wanted) return;
    const place = wanted === null ? `not to exist, because the segment ends at tick ${next}` : `at tick ${wanted}`;
    throw new BrokenMedia(`Expected frame ${index} of segment ${number} ${place}, got one at tick ${tick}.`);
  });
  const missing = expected?.(ticks.length) ?? null;
  if (missing === null || mayBeShort) return;
  throw new BrokenMedia(
    `Expected segment ${number} to last to tick ${next}, got ${ticks.length} frames and none at tick ${missing}.`,
  );
}

/** Checks that most frames of the segment are present, and none at a time that the source does not have. */
function checkSomeTicks(number: number, ticks: readonly number[], expected: (index: number) => number | null): void {
  let [count, found] = [0, 0];
  for (let tick = expected(count); tick !== null; tick = expected(count)) {
    if (ticks[found] === tick) found += 1;
    count += 1;
  }
  if (found < ticks.length) {
    throw new BrokenMedia(`Expected no frame of segment ${number} at tick ${ticks[found]}, got one.`);
  }
  if (found >= count * (1 - MAX_MISSING_SHARE)) return;
  throw new BrokenMedia(`Expected most of the ${count} frames of segment ${number}, got ${found}.`);
}

/**
 * Returns a function from frame index to the expected tick, or to null past the last frame. Returns null if only the
 * source has this information.
 */
function expectedTicks(plan: RunPlan, start: number, next: number): ((index: number) => number | null) | null {
  const { frameTicks, expectedTicks: source } = plan;
  if (source !== null) {
    const inside = source.filter((tick) => tick >= start && tick < next);
    return (index) => inside[index] ?? null;
  }
  if (frameTicks === null) return null;
  return (index) => (start + index * frameTicks < next ? start + index * frameTicks : null);
}

/** Assigns decode times to the samples. Each sample lasts until the next. */
function retime(open: readonly TimedFragment[], endTick: number, timescale: number): FragmentParts[] {
  const presentTicks = open.flatMap(({ samples }) => samples.map(({ presentTick }) => presentTick));
  const ticks = decodeTicks(presentTicks, timescale);
  let index = 0;
  return open.map((fragment) => {
    const baseTick = ticks[index] ?? endTick;
    const samples = fragment.samples.map((sample) => {
      const decodeTick = ticks[index] ?? endTick;
      index += 1;
      const compositionOffsetTicks = sample.presentTick - decodeTick;
      const durationTicks = (ticks[index] ?? endTick) - decodeTick;
      return { durationTicks, sizeBytes: sample.sizeBytes, compositionOffsetTicks, isSync: sample.isSync };
    });
    return { baseTick, samples, payload: fragment.payload };
  });
}
