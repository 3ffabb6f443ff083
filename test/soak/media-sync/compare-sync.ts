import type { AvSync } from '../../support/av-sync.ts';

/** A part of a source that an output has to show, in seconds of the source. */
export type ShownPart = { before: AvSync; fromSec: number; toSec: number };

/**
 * Errors of an output relative to its source. `largestMs`: maximum shift of the audio relative to the video. `missing`:
 * number of source frames that the output lacks. `doubled`: number of frames that the output shows for at least half a
 * frame longer than the source.
 */
export type SyncError = { largestMs: number; points: number; missing: number; doubled: number; soundHolesSec: number };

/** Compares an output with the parts of sources that it shows one after another. */
export function compareSync(parts: readonly ShownPart[], after: AvSync): SyncError {
  const wanted = parts.flatMap(wantedOf);
  const turns = turnsOf(shownOf(after));
  const errors = wanted.map((pictures, index) => compareTurn(pictures, turns[index] ?? []));
  const sum = (read: (error: TurnError) => number) => errors.reduce((total, error) => total + read(error), 0);
  return {
    largestMs: Math.max(0, ...errors.flatMap(({ offsetsMs }) => offsetsMs.map(Math.abs))),
    points: sum(({ offsetsMs }) => offsetsMs.length),
    missing: sum(({ missing }) => missing),
    // Frames without a counterpart in the source.
    doubled: sum(({ doubled }) => doubled) + turns.slice(wanted.length).flat().length,
    soundHolesSec: after.soundHoles.reduce((total, { fromSec, toSec }) => total + toSec - fromSec, 0),
  };
}

/** Returns the frames of a part, split where the frame numbers of the source restart. */
function wantedOf({ before, fromSec, toSec }: ShownPart): Shown[][] {
  const startSec = before.pictures[0]?.atSec ?? 0;
  return turnsOf(shownOf(before).filter(({ atSec }) => isWithin(atSec - startSec, fromSec, toSec)));
}

/**
 * Tolerance in seconds for rounded times: a frame at the start of a range belongs to it, and a frame at its end does
 * not.
 */
const EDGE_SEC = 0.001;

function isWithin(sec: number, fromSec: number, toSec: number): boolean {
  return sec >= fromSec - EDGE_SEC && sec < toSec - EDGE_SEC;
}

/** `offsetMs`: offset of the beep that begins with this picture, null for most pictures. */
type Shown = { number: number; atSec: number; lengthSec: number; offsetMs: number | null; isFirst: boolean };
type TurnError = { offsetsMs: number[]; missing: number; doubled: number };

/** Splits the pictures where their numbers begin again. */
function turnsOf(pictures: readonly Shown[]): Shown[][] {
  const turns: Shown[][] = [];
  for (const picture of pictures) {
    const last = turns.at(-1)?.at(-1);
    if (last !== undefined && picture.number >= last.number) turns.at(-1)?.push(picture);
    else turns.push([picture]);
  }
  return turns;
}

function shownOf({ pictures, points }: AvSync): Shown[] {
  const offsets = new Map(points.map(({ atSec, offsetMs }) => [atSec, offsetMs]));
  return pictures.map(({ number, atSec }, index) => {
    const lengthSec = (pictures[index + 1]?.atSec ?? atSec) - atSec;
    return { number, atSec, lengthSec, offsetMs: offsets.get(atSec) ?? null, isFirst: number === pictures[0]?.number };
  });
}

function compareTurn(wanted: readonly Shown[], turn: readonly Shown[]): TurnError {
  const shown = Map.groupBy(turn, ({ number }) => number);
  const offsetsMs = wanted.flatMap(({ number, offsetMs }) => {
    const other = shown.get(number)?.find((one) => one.offsetMs !== null)?.offsetMs;
    // A beep that lost its start is paired with the next one of its pitch.
    return offsetMs === null || other === undefined || other === null || Math.abs(other - offsetMs) > 1_000
      ? []
      : [other - offsetMs];
  });
  const missing = wanted.filter(({ number }) => !shown.has(number)).length;
  return { offsetsMs, missing, doubled: doubledOf(wanted, shown) };
}

/**
 * Tolerance in frames. A picture that ends half a frame off the grid, as at a joint of clips, is shown for one frame
 * more or less.
 */
const ROUNDING = 0.05;

/**
 * Counts frames that are still shown when the source already shows the next frame. Ignores the first frame, which is
 * shown from the start of the audio, and the last frame, which has no end.
 */
function doubledOf(wanted: readonly Shown[], shown: ReadonlyMap<number, readonly Shown[]>): number {
  const lengths = Map.groupBy(wanted, ({ number }) => number);
  return [...shown].reduce((sum, [number, frames]) => {
    const own = lengths.get(number) ?? [];
    const sourceSec = own.reduce((total, { lengthSec }) => total + lengthSec, 0);
    const frameSec = frames[0]?.lengthSec ?? 0;
    if (frames.length === 1 || sourceSec === 0 || own.some(({ isFirst }) => isFirst)) return sum;
    return sum + Math.max(0, Math.round((frames.length * frameSec - sourceSec) / frameSec - ROUNDING));
  }, 0);
}
