import { logEvent } from '../../../lib/log/log-event.ts';
import type { SeenSession } from '../sums/statistics-gain.ts';

/** Buffers sessions for the database: the newest totals of each, written in batches each second. */
export type SessionBuffer = {
  add(session: SeenSession): void;
  /** Writes the buffered sessions, for at most 3 s, and stops. */
  close(): Promise<void>;
};

export type SessionBufferDeps = {
  /** Counts a batch; returns its sessions that must be counted again later. */
  count(sessions: readonly SeenSession[]): Promise<readonly SeenSession[] | undefined>;
  /** Called before sessions are counted, because it may write evidence for them. */
  prepare?(): Promise<void>;
  /**
   * Maximum number of sessions held while the database is down; the oldest is dropped first, and restored by its next
   * beacon.
   */
  maxSessions?: number;
  flushMs?: number;
};

const MAX_SESSIONS = 50_000;
const FLUSH_MS = 1_000;
/** Sessions per batch. Larger batches write fewer rows of sums: one of 5,000 costs half as much as five of 1,000. */
const BATCH = 5_000;
const CLOSE_MS = 3_000;
const LOG_EACH_MS = 60_000;

/**
 * Opens the buffer. Sessions that could not be written are kept and retried at the next interval, so an outage loses no
 * session that fits.
 */
export function openSessionBuffer(deps: SessionBufferDeps): SessionBuffer {
  const { count, maxSessions = MAX_SESSIONS, flushMs = FLUSH_MS } = deps;
  const waiting = new Map<string, SeenSession>();
  let writing: Promise<void> | null = null;
  let dropped = 0;
  let isClosing = false;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  const add = (session: SeenSession) => {
    const key = keyOf(session);
    const known = waiting.get(key);
    if (known !== undefined && known.sequence >= session.sequence) return;
    const oldest = waiting.keys().next();
    if (known === undefined && waiting.size >= maxSessions && !oldest.done) {
      waiting.delete(oldest.value);
      dropped += 1;
    }
    waiting.set(key, known === undefined ? session : asItBegan(session, known));
  };
  /** Returns an unwritten session to the buffer. Sessions that arrived during the write are newer. */
  const putBack = (session: SeenSession) => {
    const newer = waiting.get(keyOf(session));
    if (newer === undefined) add(session);
    else waiting.set(keyOf(session), asItBegan(newer, session));
  };
  const write = async () => {
    const later: SeenSession[] = [];
    while (waiting.size > 0) {
      const batch = firstOf(waiting, BATCH);
      for (const [key] of batch) waiting.delete(key);
      try {
        // After closing, no further evidence arrives.
        const sessions = batch.map(([, session]) => (isClosing ? { ...session, decideAtMs: 0 } : session));
        later.push(...((await count(sessions)) ?? []));
      } catch (error) {
        for (const [, session] of batch) putBack(session);
        warn(error);
        break;
      }
    }
    for (const session of later) putBack(session);
  };
  const prepared = async () => {
    try {
      await deps.prepare?.();
    } catch (error) {
      warn(error);
      return;
    }
    await write();
  };
  const warn = (error: unknown) => {
    if (performance.now() - loggedAtMs < LOG_EACH_MS) return;
    loggedAtMs = performance.now();
    logEvent('sessions.delayed', { err: error, waiting: waiting.size, dropped });
  };
  const flush = () => {
    writing ??= prepared().finally(() => {
      writing = null;
    });
    return writing;
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();
  return {
    add,
    async close() {
      clearInterval(timer);
      isClosing = true;
      const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([flush().then(flush), limit]);
    },
  };
}

/** Returns the oldest entries: with many waiting, copying all of them for each batch would cost more than the batch. */
function firstOf<Key, Value>(entries: ReadonlyMap<Key, Value>, count: number): [Key, Value][] {
  const first: [Key, Value][] = [];
  for (const entry of entries) {
    if (first.length === count) break;
    first.push(entry);
  }
  return first;
}

function keyOf({ startHourMs, sessionId }: SeenSession): string {
  return `${startHourMs}/${sessionId}`;
}

/** A viewer may change networks during a session. The session counts for the first network. */
function asItBegan(session: SeenSession, first: SeenSession): SeenSession {
  const { country, device, referrerHost, viewer, decideAtMs } = first;
  return { ...session, country, device, referrerHost, decideAtMs, viewer: viewer ?? session.viewer };
}
