import type pg from 'pg';
import { metrics } from '../lib/metrics/metrics.ts';
import { SILENT_DATABASE } from './is-database-away.ts';

/** Interval of queries on a listening connection, and maximum time for a result, in ms. */
const BEAT_MS = 5_000;

/**
 * Ends all connections of a pool if one of its queries gets no result within `limitMs`, which exceeds the server's
 * limit for any query. The network path was then lost silently (a failover, a firewall that dropped its state), and the
 * kernel would keep sending for a quarter of an hour. Waiting queries fail immediately, and later ones reconnect.
 */
export function endWhenSilent(pool: pg.Pool, limitMs: number, onBroken: (error: Error) => void): void {
  const clients = new Set<pg.ClientBase>();
  const endAll = () => {
    const error = new Error(`${SILENT_DATABASE} for ${limitMs} ms. Its connections are closed.`);
    onBroken(error);
    for (const client of clients) cut(client, error);
    clients.clear();
  };
  pool.on('connect', (client) => {
    clients.add(client);
    watchQueries(client, limitMs, endAll);
  });
  pool.on('remove', (client) => clients.delete(client));
}

function watchQueries(client: pg.ClientBase, limitMs: number, onSilent: () => void): void {
  const plain: unknown = Reflect.get(client, 'query');
  if (typeof plain !== 'function') throw new Error(`Expected a pg client with a method query, got ${typeof plain}.`);
  const query = (...args: unknown[]): unknown => {
    const timer = setTimeout(onSilent, limitMs).unref();
    const startedMs = performance.now();
    const end = (error?: unknown) => {
      clearTimeout(timer);
      metrics.databaseDuration.observe((performance.now() - startedMs) / 1000);
      if (error instanceof Error) metrics.databaseErrors.inc({ class: errorClass(error) });
    };
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (...answer: unknown[]) => {
        end(answer[0]);
        Reflect.apply(callback, undefined, answer);
      };
    }
    const result: unknown = Reflect.apply(plain, client, args);
    if (result instanceof Promise) result.then(() => end(), end);
    else if (typeof callback !== 'function') end();
    return result;
  };
  // Configurable, because others may wrap the method.
  Object.defineProperty(client, 'query', { value: query, configurable: true });
}

/** Returns the class of the error's SQLSTATE, its first two characters (PostgreSQL, appendix A), or `connection`. */
function errorClass(error: Error): string {
  const { code }: { code?: unknown } = Object(error);
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : 'connection';
}

/**
 * Repeats `listen` on a connection every 5 s, which changes nothing, and ends the connection if there is no result:
 * keepalive alone detects no failure behind a proxy. `listen` queues that query. Call the returned function to stop.
 */
export function beat(client: pg.Client, listen: () => Promise<unknown>, onSilent: (error: Error) => void): () => void {
  const silent = () => {
    stop();
    const error = new Error(`A listening connection has not responded for ${BEAT_MS} ms.`);
    cut(client, error);
    onSilent(error);
  };
  let late: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    late ??= setTimeout(silent, BEAT_MS).unref();
    listen().then(
      () => {
        clearTimeout(late);
        late = undefined;
      },
      // The connection's own 'error' and 'end' report the reason.
      () => undefined,
    );
  }, BEAT_MS).unref();
  function stop(): void {
    clearInterval(timer);
    clearTimeout(late);
  }
  return stop;
}

/** Sends no close message, because the peer is gone. */
function cut(client: pg.ClientBase, error: Error): void {
  const { connection }: { connection?: { stream?: { destroy?: (error: Error) => void } } } = Object(client);
  const got = typeof connection?.stream?.destroy;
  if (got !== 'function') throw new Error(`Expected a connection whose stream has a method destroy, got ${got}.`);
  connection?.stream?.destroy?.(error);
}
