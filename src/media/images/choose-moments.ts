import { compareMiniatures, judgeMiniature } from './miniature.ts';

/** A moment of a video and its grey miniature; `worth` is how much its frame shows (`judgeMiniature`). */
export type Moment = { tick: number; grey: Uint8Array; worth: number };

/** The moments chosen, in order of time; `best` is the place among them of the most informative one. */
export type ChosenMoments = { ticks: readonly number[]; best: number };

/** Takes the miniatures of a whole video as they come, and holds a bounded number of them. */
export type MomentChooser = {
  /** Moments come in any order; a tick beyond the end counts as the last. */
  push(tick: number, grey: Uint8Array): void;
  /** The moments that stand for election, in order of time. */
  candidates(): readonly Moment[];
  /** Chooses up to `count` different moments. Throws when no moment came. */
  choose(count: number): ChosenMoments;
};

const PERIODS = 96;
/** Pictures that are this far apart, in grey levels, are as different as need be. */
const DIFFERENT = 24;
/** Moments this share of the video apart are as far as need be; nearer ones are worth up to half as much. */
const FAR = 0.1;
/** Distance in time decides between frames that are alike. */
const TIME_WEIGHT = 0.5;

/**
 * Chooses moments by what is to be seen, so that a still or a black stretch is not shown again and again: of each
 * ninety-sixth of the video the most informative frame stands for election; the most informative one of all is taken
 * first, then whichever shows much, differs from those taken, and is not near one of them. A dark or flat frame is
 * taken only where there is none else, one that is like another only where there is none that differs.
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
      if (left.length === 0) throw new Error('Expected the miniature of at least one moment, none came.');
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
  // What shows nothing stands behind all that does, however alike that is.
  const spread = 0.5 + 0.5 * Math.min(1, away / FAR);
  return (worth === 0 ? -1 : worth * apart * spread) + TIME_WEIGHT * away;
}
