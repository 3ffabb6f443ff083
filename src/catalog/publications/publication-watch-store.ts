import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { LISTENING, PUBLICATION_CHANNEL } from '../db.ts';
import { beat } from '../silent-connections-store.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/** A media of which viewers may see something new, or that is gone. */
export type PublicationChange = { libraryId: number; mediaId: Guid; publication: number | 'deleted' };

/** Who wants to know. `listening` is called after each connect: changes may have been missed before it. */
export type PublicationListener = {
  change(change: PublicationChange): void;
  /** What decides about the viewers of a library has changed. */
  policy?(libraryId: number): void;
  listening(): void;
  lost(error: Error): void;
};

/** The open subscription; `close` ends its connection and its retries. */
export type PublicationWatch = { close(): Promise<void> };

/**
 * Listens for publications, or on another channel of such changes, on a connection of its own, and connects anew for
 * as long as it is open.
 */
export function watchPublications(
  config: pg.ClientConfig,
  listener: PublicationListener,
  channel = PUBLICATION_CHANNEL,
): PublicationWatch {
  const closing = new AbortController();
  const running = listenUntilClosed({ config, channel }, listener, closing.signal);
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

type Subscription = { config: pg.ClientConfig; channel: string };

async function listenUntilClosed(subscription: Subscription, listener: PublicationListener, signal: AbortSignal) {
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      await listenOnce(subscription, listener, signal, () => {
        retryMs = FIRST_RETRY_MS;
      });
    } catch (error) {
      listener.lost(error instanceof Error ? error : new Error(String(error)));
    }
    if (signal.aborted) return;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }
}

/** Returns when the watch is closed; throws when the connection fails. */
async function listenOnce(
  { config, channel }: Subscription,
  listener: PublicationListener,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> {
  const client = new pg.Client({ ...config, ...LISTENING });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  let stopBeat = () => {};
  client.on('error', reject);
  client.on('end', () => reject(new Error('The listening connection ended.')));
  signal.addEventListener('abort', onAbort);
  // The failure may come while still connecting; it is awaited below, not lost.
  ended.catch(() => undefined);
  client.on('notification', ({ payload }) => {
    const change = readChange(payload ?? '');
    if (change !== null) listener.change(change);
    const policy = /^(\d{1,15}):policy$/.exec(payload ?? '');
    if (policy !== null) listener.policy?.(Number(policy[1]));
  });
  try {
    await client.connect();
    const listen = () => client.query(`listen ${channel}`);
    await listen();
    stopBeat = beat(client, listen, reject);
    onListening();
    listener.listening();
    await ended;
  } finally {
    stopBeat();
    signal.removeEventListener('abort', onAbort);
    await client.end().catch(() => undefined);
  }
}

/** Reads `libraryId:mediaId:publication` or `libraryId:mediaId:deleted`; null for what is neither. */
export function readChange(payload: string): PublicationChange | null {
  const [, library = '', media = '', change = ''] =
    /^(\d{1,15}):([0-9a-f-]{36}):(\d{1,15}|deleted)$/.exec(payload) ?? [];
  const mediaId = parseGuid(media);
  if (mediaId === null) return null;
  return { libraryId: Number(library), mediaId, publication: change === 'deleted' ? 'deleted' : Number(change) };
}
