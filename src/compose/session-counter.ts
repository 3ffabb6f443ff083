import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SeenSession } from '../catalog/statistics/statistics-gain.ts';
import type { CountOptions } from '../catalog/statistics/viewing-session-store.ts';
import type { DatabaseConnection } from '../config/database.ts';
import type { CountAnswer, CounterData, SentSession } from './session-counter-thread.ts';

/** Counts viewing sessions in a thread of its own. */
export type SessionCounter = {
  /** Counts a batch; one at a time. Rejects with why it is not known to be counted; the same may be counted again. */
  count(sessions: readonly SeenSession[]): Promise<void>;
  close(): Promise<void>;
};

/** Sessions that are made text at once: a few ms of the event loop. */
const SLICE = 500;
const OLD_MIB = 256;
/** Statements and connections have limits of their own, far below. */
const LIMIT_MS = 120_000;

/**
 * Opens the counter. Segments leave by the same event loop that takes beacons, and would wait for the sums of thousands
 * of sessions: so the thread makes those, over one connection of its own. It starts with the first batch, and again
 * after it ended.
 */
export function openSessionCounter(connection: DatabaseConnection, options: CountOptions): SessionCounter {
  let thread: Worker | null = null;
  const open = (): Worker => {
    const workerData: CounterData = { connection, options };
    const opened = new Worker(new URL('./session-counter-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: OLD_MIB },
    });
    opened.unref();
    opened.once('exit', () => {
      if (thread === opened) thread = null;
    });
    // The batch that is under way reports it; without one the next batch starts another thread.
    opened.on('error', () => undefined);
    return opened;
  };
  return {
    async count(sessions) {
      const texts: string[] = [];
      for (let at = 0; at < sessions.length; at += SLICE) {
        texts.push(JSON.stringify(sessions.slice(at, at + SLICE).map(toSent)));
        await setImmediate();
      }
      thread ??= open();
      await answerOf(thread, texts);
    },
    async close() {
      await thread?.terminate();
    },
  };
}

function toSent(session: SeenSession): SentSession {
  return { ...session, heat: session.heat.toString('base64') };
}

function answerOf(thread: Worker, texts: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown) => {
      clearTimeout(limit);
      thread.off('message', onAnswer).off('error', settle).off('exit', onExit);
      if (error === null) resolve();
      else reject(error);
    };
    const onAnswer = ({ error }: CountAnswer) => settle(error);
    const onExit = (code: number) => settle(new Error(`The thread that counts sessions ended with code ${code}.`));
    const limit = setTimeout(() => {
      void thread.terminate();
      settle(new Error(`Expected a batch of sessions to be counted within ${LIMIT_MS / 1000} s.`));
    }, LIMIT_MS);
    limit.unref();
    thread.on('message', onAnswer).once('error', settle).once('exit', onExit);
    thread.postMessage(texts);
  });
}
