import { compareMiniatures, judgeMiniature } from './miniature.ts';

/** A moment of a video and its grey miniature. `worth` is the result of `judgeMiniature` for its frame. */
export type Moment = { tick: number; grey: Uint8Array; worth: number };

/** The chosen moments, in order of time. `best` is the index of the most informative one. */
export type ChosenMoments = { ticks: readonly number[]; best: number };

/** Collects the miniatures of a whole video as they arrive, and keeps a bounded number of them. */
export type MomentChooser = {
  /** Adds a moment, in any order. A tick beyond the end counts as the last. */
  push(tick: number, grey: Uint8Array): void;
  /** Returns the candidate moments, in order of time. */
  candidates(): readonly Moment[];
  /** Chooses up to `count` different moments. Throws if there is none. */
  choose(count: number): ChosenMoments;
};

const PERIODS = 96;
/** Difference in grey levels from which frames count as completely different. */
const DIFFERENT = 24;
/**
 * Fraction of the video's length beyond which moments count as distant. The value of closer ones is reduced by up to
 * half.
 */
const FAR = 0.1;
/** Weight of the time difference, which decides between similar frames. */
const TIME_WEIGHT = 0.5;

/**
 * Creates a chooser that selects moments by content, so that a still image or a black section is not shown repeatedly.
 * The video is divided into 96 parts, and the most informative frame of each part is a candidate. The most informative
 * candidate is chosen first, then informative candidates that differ from the chosen ones in content and time. A dark
 * or flat frame is chosen only if there is no other frame, and a frame similar to a chosen one only if there is no
 * different frame.
 */
export function createMomentChooser(endTick: number): MomentChooser {
  const held = new Map<number, Moment>();
  const candidates = () => [...held.values()].toSorted((a, b) => a.tick - b.tick);
  return {
    candidates,
    push(tick, grey) {
      const period = Math.min(PERIODS - 1, Math.floor((PERIODS * tick) / Math.max(1, endTick)));
      const worth = judgeMiniature(grey);
      const before = held.get(period);
      if (before === undefined || worth > before.worth) held.set(period, { tick, grey, worth });
    },
    choose(count) {
      const left = candidates();
      if (left.length === 0) throw new Error('Expected the miniature of at least one moment, got none.');
      const taken: Moment[] = [];
      while (taken.length < count && left.length > 0) {
        const values = left.map((moment) => rate(moment, taken, endTick));
        taken.push(...left.splice(values.indexOf(Math.max(...values)), 1));
      }
      const [best] = taken;
      const inTime = taken.toSorted((a, b) => a.tick - b.tick);
      return { ticks: inTime.map(({ tick }) => tick), best: best === undefined ? 0 : inTime.indexOf(best) };
    },
  };
}

function rate({ tick, grey, worth }: Moment, taken: readonly Moment[], endTick: number): number {
  const apart = Math.min(1, ...taken.map((other) => compareMiniatures(grey, other.grey) / DIFFERENT));
  const away = Math.min(1, ...taken.map((other) => Math.abs(tick - other.tick) / Math.max(1, endTick)));
  // Uninformative frames rank behind all others, however similar the others are.
  const spread = 0.5 + 0.5 * Math.min(1, away / FAR);
  return (worth === 0 ? -1 : worth * apart * spread) + TIME_WEIGHT * away;
}
