import pg from 'pg';
import { LISTENING } from './db.ts';
import { beat } from './silent-connections-store.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/**
 * A subscription to one channel. `close` ends it. Closing the last subscription of a pool also closes the connection.
 */
export type Listener = { close(): Promise<void> };

export type ListenHandlers = {
  onPayload: (payload: string) => void;
  /** Called after each (re)connection, because notifications sent in between are lost. */
  onConnected: () => void;
  onError: (error: Error) => void;
};

const connections = new WeakMap<pg.Pool, ListenConnection>();

/**
 * Subscribes to a channel. All channels of a pool share one extra connection with the pool's options. It reconnects
 * with increasing delays as long as one of them is open. Rejects if the first connection attempt fails.
 */
export async function listen(pool: pg.Pool, channel: string, handlers: ListenHandlers): Promise<Listener> {
  const connection = connectionOf(pool);
  const subscription = { channel, handlers };
  await connection.add(subscription);
  return { close: () => connection.remove(subscription) };
}

/**
 * Like `listen`, but returns immediately. A failed first connection attempt is reported and retried like any later one.
 */
export function keepListening(pool: pg.Pool, channel: string, handlers: ListenHandlers): Listener {
  const connection = connectionOf(pool);
  const subscription = { channel, handlers };
  connection.addLater(subscription);
  return { close: () => connection.remove(subscription) };
}

function connectionOf(pool: pg.Pool): ListenConnection {
  const connection = connections.get(pool) ?? new ListenConnection(pool.options);
  connections.set(pool, connection);
  return connection;
}

type Subscription = { channel: string; handlers: ListenHandlers };

class ListenConnection {
  readonly #config: pg.ClientConfig;
  readonly #subscriptions = new Set<Subscription>();
  #client: pg.Client | null = null;
  #connecting: Promise<pg.Client> | null = null;
  /** Last query on the connection, which runs one query at a time. */
  #requested: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopBeat: () => void = () => undefined;

  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  async add(subscription: Subscription): Promise<void> {
    this.#subscriptions.add(subscription);
    try {
      await this.#begin(subscription);
    } catch (error) {
      await this.remove(subscription);
      throw error;
    }
  }

  addLater(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
    this.#begin(subscription).catch((error: Error) => {
      // The lost connection is already being re-established.
      if (this.#client === null) this.#reportAndRetry(error);
      else subscription.handlers.onError(error);
    });
  }

  async #begin({ channel, handlers }: Subscription): Promise<void> {
    const isNew = this.#client === null || this.#connecting !== null;
    const client = isNew || this.#client === null ? await this.#connectOnce() : this.#client;
    // The connection may have begun to listen before this subscription existed.
    await this.#listen(client, channel);
    if (!isNew) handlers.onConnected();
  }

  async remove(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription);
    const client = this.#client;
    if (this.#subscriptions.size === 0) {
      clearTimeout(this.#timer);
      this.#stopBeat();
      this.#client = null;
      await client?.end();
    } else if (client !== null && ![...this.#subscriptions].some(({ channel }) => channel === subscription.channel)) {
      // If the connection is lost now, the next one does not subscribe to the channel again.
      await this.#ask(client, `unlisten ${pg.escapeIdentifier(subscription.channel)}`).catch(() => undefined);
    }
  }

  #listen(client: pg.Client, channel: string): Promise<unknown> {
    return this.#ask(client, `listen ${pg.escapeIdentifier(channel)}`);
  }

  #ask(client: pg.Client, text: string): Promise<unknown> {
    const requested = this.#requested.then(() => client.query(text));
    this.#requested = requested.catch(() => undefined);
    return requested;
  }

  #connectOnce(): Promise<pg.Client> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, ...LISTENING });
    this.#client = client;
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('The connection that listens for notifications was closed.')));
    client.on('notification', ({ channel, payload }) => this.#publish(channel, payload ?? ''));
    try {
      await client.connect();
      const channels = new Set([...this.#subscriptions].map(({ channel }) => channel));
      for (const channel of channels) await this.#listen(client, channel);
    } catch (error) {
      if (this.#client === client) this.#client = null;
      await client.end().catch(() => undefined);
      throw error;
    }
    const [{ channel } = { channel: 'none' }] = this.#subscriptions;
    this.#stopBeat = beat(
      client,
      () => this.#listen(client, channel),
      (error) => this.#lose(client, error),
    );
    this.#failures = 0;
    for (const { handlers } of this.#subscriptions) handlers.onConnected();
    return client;
  }

  #publish(channel: string, payload: string): void {
    for (const one of this.#subscriptions) if (one.channel === channel) one.handlers.onPayload(payload);
  }

  #lose(client: pg.Client, error: Error): void {
    // During a connection attempt, the caller of that attempt gets the error.
    if (this.#client !== client || this.#connecting !== null) return;
    this.#client = null;
    this.#stopBeat();
    client.end().catch(() => undefined);
    this.#reportAndRetry(error);
  }

  #reportAndRetry(error: Error): void {
    // Subscribers of one process report to the same log.
    for (const onError of new Set([...this.#subscriptions].map(({ handlers }) => handlers.onError))) onError(error);
    if (this.#subscriptions.size === 0) return;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 8));
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#connectOnce().catch((cause: Error) => this.#reportAndRetry(cause));
    }, pauseMs);
  }
}
