import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../catalog/db.ts';
import type { SeenSession } from '../catalog/statistics/statistics-gain.ts';
import { type CountOptions, countSessions } from '../catalog/statistics/viewing-session-store.ts';
import type { DatabaseConnection } from '../config/database.ts';

// The thread of `session-counter.ts`: counts each batch that is sent to it and answers how that went.

export type CounterData = { connection: DatabaseConnection; options: CountOptions };
/** A session as it comes here: its heat is base64. */
export type SentSession = Omit<SeenSession, 'heat'> & { heat: string };
export type CountAnswer = { error: Error | null };

// Both sides are ours: what comes is what `openSessionCounter` sends.
const { connection, options }: CounterData = workerData;
const { db } = openDatabase({ ...connection, max: 1 }, () => undefined);

parentPort?.on('message', async (texts: readonly string[]) => {
  parentPort?.postMessage(await countAll(texts));
});

async function countAll(texts: readonly string[]): Promise<CountAnswer> {
  try {
    await countSessions(db, texts.flatMap(readSent), options);
    return { error: null };
  } catch (error) {
    return { error: describe(error) };
  }
}

/** What an error has beside its message does not come through between threads: what says why goes into that. */
function describe(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const all = error instanceof AggregateError ? error.errors.map(String) : [error.message];
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return new Error(`${all.join('; ')}${code}`, { cause: error });
}

function readSent(text: string): SeenSession[] {
  const sent: SentSession[] = JSON.parse(text);
  return sent.map((session) => ({ ...session, heat: Buffer.from(session.heat, 'base64') }));
}
