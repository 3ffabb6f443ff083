import pg from 'pg';

/**
 * A poll uses its connection for 1 to 2 ms. If a caller waits longer than this, the connections are busy with other
 * work.
 */
const PATIENCE_MS = 40;

/**
 * Prevents polls from opening more than `kept` connections. If all are in use, a caller waits at most 40 ms for one
 * before the pool opens a new one. Simultaneous polls share the same few connections, so an idle process keeps at most
 * `kept` of them.
 */
export function growForWork(pool: pg.Pool, kept: number): void {
  const waiting = new Set<() => void>();
  const plain: (callback?: unknown) => unknown = pool.connect.bind(pool);
  const hasRoom = () => waiting.size === 0 && (pool.totalCount < kept || pool.idleCount > pool.waitingCount);
  const untilTurn = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, PATIENCE_MS);
      waiting.add(end);
    });
  // The pool marks the connection as idle before the waiting caller continues.
  pool.on('release', () => waiting.values().next().value?.());
  const connect = (callback?: unknown) => {
    if (hasRoom()) return plain(callback);
    const connected = untilTurn().then(() => plain(callback));
    return callback === undefined ? connected : undefined;
  };
  Object.defineProperty(pool, 'connect', { value: connect, configurable: true });
}

/**
 * Opens connections simultaneously, some from the pool and some outside it, then releases or closes them. Throws if
 * PostgreSQL does not have enough free slots. The connections of the pool stay open for a while, so that no other
 * process takes their slots.
 */
export async function openTogether(
  pool: pg.Pool,
  { fromPool, outsidePool }: { fromPool: number; outsidePool: number },
): Promise<void> {
  const ofPool = async () => {
    const client = await pool.connect();
    return () => client.release();
  };
  const ofItself = async () => {
    const client = new pg.Client(pool.options);
    client.on('error', () => undefined);
    await client.connect();
    return () => client.end();
  };
  const opening = [...Array.from({ length: fromPool }, ofPool), ...Array.from({ length: outsidePool }, ofItself)];
  const opened = await Promise.allSettled(opening);
  for (const one of opened) if (one.status === 'fulfilled') await one.value();
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
