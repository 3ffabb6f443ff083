import { compareMiniatures, judgeMiniature } from './miniature.ts';

/** A moment of a video and its grey miniature. `worth` is how informative its frame is (`judgeMiniature`). */
export type Moment = { tick: number; grey: Uint8Array; worth: number };

/** The chosen moments, in order of time. `best` is the index of the most informative one. */
export type ChosenMoments = { ticks: readonly number[]; best: number };

/** Takes the miniatures of a whole video as they arrive, and keeps a bounded number of them. */
export type MomentChooser = {
  /** Adds a moment, in any order. A tick beyond the end counts as the last. */
  push(tick: number, grey: Uint8Array): void;
  /** Returns the candidate moments, in order of time. */
  candidates(): readonly Moment[];
  /** Chooses up to `count` different moments. Throws if there is none. */
  choose(count: number): ChosenMoments;
};

const PERIODS = 96;
/** Frames that differ by this many grey levels count as fully different. */
const DIFFERENT = 24;
/** Moments this share of the video apart count as far enough. Nearer ones are worth down to half as much. */
const FAR = 0.1;
/** Distance in time decides between similar frames. */
const TIME_WEIGHT = 0.5;

/**
 * Chooses moments by content, so that a still or a black stretch is not shown repeatedly. The most informative frame of
 * each ninety-sixth of the video is a candidate. The most informative of all is taken first, then those that show much,
 * differ from the ones taken, and are not close to one. A dark or flat frame is taken only if there is no other, and a
 * frame similar to another only if there is none that differs.
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
  // Frames that show nothing rank behind all others, however similar those are.
  const spread = 0.5 + 0.5 * Math.min(1, away / FAR);
  return (worth === 0 ? -1 : worth * apart * spread) + TIME_WEIGHT * away;
}
