import pg from 'pg';
import { LISTENING } from '../../catalog/db.ts';
import { beat } from '../../catalog/silent-connections-store.ts';

const LONGEST_PAUSE_MS = 10_000;

/** A subscription to one channel; `close` ends its connection. */
export type Listener = { close(): Promise<void> };

export type ListenHandlers = {
  onPayload: (payload: string) => void;
  /** Called after each (re)connection, since notifications sent in between are lost. */
  onConnected: () => void;
  onError: (error: Error) => void;
};

/**
 * Listens on a channel over a connection of its own, made like those of `pool`, and reconnects with
 * growing pauses for as long as it is not closed. The first connection failing is the caller's error.
 */
export async function listen(pool: pg.Pool, channel: string, handlers: ListenHandlers): Promise<Listener> {
  let closed = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let current: pg.Client | undefined;
  let stopBeat = () => {};

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...pool.options, ...LISTENING });
    current = client;
    client.on('error', (error) => lose(client, error));
    client.on('end', () => lose(client, new Error(`The connection that listens on ${channel} ended.`)));
    client.on('notification', ({ payload }) => handlers.onPayload(payload ?? ''));
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    stopBeat = beat(client, channel, (error) => lose(client, error));
    failures = 0;
    handlers.onConnected();
  }

  function lose(client: pg.Client, error: Error): void {
    if (closed || current !== client) return;
    current = undefined;
    stopBeat();
    client.end().catch(handlers.onError);
    handlers.onError(error);
    scheduleReconnect();
  }

  function scheduleReconnect(): void {
    failures += 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 8));
    timer = setTimeout(() => {
      connect().catch((error: Error) => {
        if (closed) return;
        const failed = current;
        if (failed !== undefined) lose(failed, error);
      });
    }, pauseMs);
  }

  await connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      stopBeat();
      await current?.end();
    },
  };
}
