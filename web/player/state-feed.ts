import type { PlayerState } from '../../src/delivery/player/player-state.ts';

const WAITING_MS = 1_000;
const GROWING_MS = 2_500;
const FAILING_MS = 4_000;

/** Asks for the video's state while it may still change, and tells of each answer. */
export async function followState(stateUrl: string, first: PlayerState, onState: (state: PlayerState) => void) {
  let state = first;
  while (!isSettled(state)) {
    await pause(state.isPlayable ? GROWING_MS : WAITING_MS);
    const next = await fetchState(stateUrl);
    if (next === null) await pause(FAILING_MS);
    else if (next === 'gone') return;
    else {
      state = next;
      onState(state);
    }
  }
}

function isSettled({ phase, isPlayable }: PlayerState): boolean {
  return phase === 'failed' || (phase === 'finished' && isPlayable);
}

/** Null when the server cannot be reached now: the page keeps what it shows and asks again. */
export async function fetchState(stateUrl: string): Promise<PlayerState | 'gone' | null> {
  try {
    const response = await fetch(stateUrl, { cache: 'no-store' });
    if (response.status === 404) return 'gone';
    return response.ok ? await response.json() : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A hidden page waits until it is seen again. */
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (!document.hidden) return;
  await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}
