import type { PlayerState } from '../../src/delivery/player/player-state.ts';

const WAITING_MS = 1_000;
const GROWING_MS = 2_500;
const LIVE_MS = 4_000;
const FAILING_MS = 4_000;

/** `code` is a code from the error catalogue. */
export type Refusal = { kind: 'refused'; code: string };

/** The server's response to a request for the state. */
export type Answer =
  | { kind: 'state'; state: PlayerState }
  | { kind: 'gone' }
  | Refusal
  /** The server is unreachable. The page keeps its content and tries again. */
  | { kind: 'away' };

export type Following = {
  onAnswer: (answer: Answer) => void;
  /** Returns whether to request the state while the page is hidden. */
  followsHidden: () => boolean;
};

/** Requests the state while it may still change, until the video is final, deleted or refused. */
export async function followState(stateUrl: string, first: PlayerState, { onAnswer, followsHidden }: Following) {
  let state = first;
  for (;;) {
    const waitMs = untilNextMs(state);
    if (waitMs === null) return;
    await pause(waitMs, followsHidden);
    const answer = await fetchState(stateUrl);
    onAnswer(answer);
    if (answer.kind === 'gone' || answer.kind === 'refused') return;
    if (answer.kind === 'away') await pause(FAILING_MS, followsHidden);
    else state = answer.state;
  }
}

/** Returns the time for which the state is valid, in ms, or null if it is final. */
function untilNextMs({ phase, source }: PlayerState): number | null {
  switch (phase.kind) {
    case 'failed':
    case 'stream-ended':
      return null;
    case 'finished':
      return source === null ? WAITING_MS : null;
    case 'waiting':
    case 'awaiting-publisher':
    case 'preview':
    case 'countdown':
    case 'converting':
    case 'reconnecting':
      return WAITING_MS;
    case 'processing':
      return source === null ? WAITING_MS : GROWING_MS;
    case 'live':
      return LIVE_MS;
  }
}

export async function fetchState(stateUrl: string): Promise<Answer> {
  try {
    const response = await fetch(stateUrl, { cache: 'no-store' });
    if (response.status === 404) return { kind: 'gone' };
    if (response.status === 403) return { kind: 'refused', code: String((await response.json()).error) };
    return response.ok ? { kind: 'state', state: await response.json() } : { kind: 'away' };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return { kind: 'away' };
    throw error;
  }
}

/** Returns the refusal of a playlist by a quota of the library, which does not refuse the state. Null without one. */
export async function findQuotaRefusal(playlistUrl: string): Promise<Refusal | null> {
  try {
    const response = await fetch(playlistUrl, { cache: 'no-store' });
    const code = response.status === 403 ? String((await response.json()).error) : '';
    return code.startsWith('quota-') ? { kind: 'refused', code } : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Requests a new ticket for the current length of the media. Returns null if the server is unreachable. */
export async function renewTicket(stateUrl: string, ticket: string): Promise<string | null> {
  const answer = await fetchState(`${stateUrl}${stateUrl.includes('?') ? '&' : '?'}ticket=${ticket}`);
  return answer.kind === 'state' ? answer.state.viewing.ticket : null;
}

/** Waits. If the page is hidden, also waits until it is visible again, unless `followsHidden` returns true. */
async function pause(ms: number, followsHidden: () => boolean): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (!document.hidden || followsHidden()) return;
  await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}
