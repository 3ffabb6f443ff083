import { setTimeout as sleep } from 'node:timers/promises';
import { FRAMES, LENGTH_SEC, RATE } from './numbered-clip.ts';
import type { Outcome, Played, Step } from './trial.ts';

/**
 * A player program that has opened the numbered clip. `read` returns the number of the frame shown, null if it is not a
 * frame of the clip. `choose` selects a rung. The caller closes it.
 */
export type NativePlayer = {
  measure(): Promise<Played>;
  play(): Promise<void>;
  pause(): Promise<void>;
  seek(sec: number): Promise<void>;
  replay(): Promise<void>;
  choose(heightPx: number): Promise<void>;
  read(): Promise<{ number: number; heightPx: number } | null>;
  isEnded(): Promise<boolean>;
  close(): Promise<void>;
};

/** Timeout that only a hang exceeds. */
const HANG_MS = 40_000;
const SEEK_MS = 4_000;
const SEEKS_SEC = [7.34, 3.3, 17.98, 12.02, 0.5];

/** Plays, seeks, switches, ends and replays. Each failed step has a reason, and later steps still run. */
export async function tryNative(player: NativePlayer, heights: readonly number[]): Promise<Outcome> {
  await player.pause();
  const play = await step(() => player.measure());
  const seek = await step(() => seekAll(player));
  const end = await step(() => playToEnd(player));
  const again = await step(() => replay(player));
  // Switches rungs last, because mpv does not continue playback after a switch.
  return { play, seek, end, replay: again, switch: await step(() => switchAll(player, heights)) };
}

async function step<Value>(run: () => Promise<Value>): Promise<Step<Value>> {
  try {
    return { isGood: true, value: await run() };
  } catch (error) {
    return { isGood: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function until(what: string, isDone: () => Promise<boolean>, hangMs = HANG_MS): Promise<void> {
  const endMs = performance.now() + hangMs;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error(`no ${what} within ${hangMs / 1000} s`);
    await sleep(50);
  }
}

async function number(player: NativePlayer): Promise<number | null> {
  return (await player.read())?.number ?? null;
}

async function seekAll(player: NativePlayer): Promise<number> {
  await player.pause();
  let worst = 0;
  for (const sec of SEEKS_SEC) {
    await player.seek(sec);
    const expected = Math.floor(sec * RATE + 1e-6);
    // If read too early, a player shows no frame or the previous one.
    let shown: number | null = null;
    const isThere = async () => {
      shown = (await number(player)) ?? shown;
      return shown === expected;
    };
    await until('picture of a seek', isThere, SEEK_MS).catch(() => undefined);
    worst = Math.max(worst, Math.abs((shown ?? Number.POSITIVE_INFINITY) - expected));
  }
  return worst;
}

async function switchAll(player: NativePlayer, heights: readonly number[]): Promise<number[]> {
  const shown: number[] = [];
  await player.seek(1);
  await player.play();
  for (const heightPx of heights) {
    await player.choose(heightPx);
    await until(`${heightPx}p`, async () => (await player.read())?.heightPx === heightPx);
    const from = (await number(player)) ?? 0;
    await until(`play of ${heightPx}p`, async () => ((await number(player)) ?? 0) > from + RATE / 2);
    shown.push(heightPx);
    if (((await number(player)) ?? 0) > FRAMES - 8 * RATE) await player.seek(2);
  }
  return shown;
}

async function playToEnd(player: NativePlayer): Promise<null> {
  await player.seek(LENGTH_SEC - 2);
  await player.play();
  let last = -1;
  await until('end', async () => {
    last = Math.max(last, (await number(player)) ?? -1);
    return await player.isEnded();
  });
  // Reading the frame takes time.
  if (last < FRAMES - RATE) throw new Error(`ended at frame ${last} of ${FRAMES}`);
  return null;
}

async function replay(player: NativePlayer): Promise<null> {
  await player.replay();
  const isAgain = async () => {
    const shown = (await number(player)) ?? -1;
    return shown > RATE / 2 && shown < 5 * RATE;
  };
  await until('replay', isAgain);
  return null;
}
