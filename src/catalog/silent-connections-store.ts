import type pg from 'pg';

/** So often a listening connection is asked something, and so long its answer may take. */
const BEAT_MS = 5_000;

/**
 * Ends all connections of a pool when one of its queries has had no answer for `limitMs`, which is longer than the
 * server lets any run: the way to it is lost without a word (a failover, a firewall that forgot), and the kernel would
 * go on sending for a quarter of an hour. What waited fails at once, and what comes next connects anew.
 */
export function endWhenSilent(pool: pg.Pool, limitMs: number, onBroken: (error: Error) => void): void {
  const clients = new Set<pg.ClientBase>();
  const endAll = () => {
    const error = new Error(`The database has not answered for ${limitMs} ms: its connections are ended.`);
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
  if (typeof plain !== 'function') throw new Error('Expected a connection that can be asked.');
  const query = (...args: unknown[]): unknown => {
    const timer = setTimeout(onSilent, limitMs).unref();
    const end = () => clearTimeout(timer);
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (...answer: unknown[]) => {
        end();
        Reflect.apply(callback, undefined, answer);
      };
    }
    const result: unknown = Reflect.apply(plain, client, args);
    if (result instanceof Promise) result.then(end, end);
    else if (typeof callback !== 'function') end();
    return result;
  };
  // Others may put themselves before it.
  Object.defineProperty(client, 'query', { value: query, configurable: true });
}

/**
 * Has a listening connection listen again every 5 s, which changes nothing, and ends it when no answer comes: keepalive
 * alone does not see what lies behind a proxy. `listen` sends that query in its turn. Stops when the answer is called.
 */
export function beat(client: pg.Client, listen: () => Promise<unknown>, onSilent: (error: Error) => void): () => void {
  const silent = () => {
    stop();
    const error = new Error(`A listening connection has not answered for ${BEAT_MS} ms.`);
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
      // The connection's own 'error' and 'end' say why.
      () => undefined,
    );
  }, BEAT_MS).unref();
  function stop(): void {
    clearInterval(timer);
    clearTimeout(late);
  }
  return stop;
}

/** Without a close message: the peer is gone. */
function cut(client: pg.ClientBase, error: Error): void {
  const { connection }: { connection?: { stream?: { destroy?: (error: Error) => void } } } = Object(client);
  if (typeof connection?.stream?.destroy !== 'function') throw new Error('Expected a connection with a stream.');
  connection.stream.destroy(error);
}
