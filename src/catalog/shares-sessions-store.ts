import pg from 'pg';

const LIMIT_MS = 5_000;

/**
 * Returns whether a pooler in transaction mode is in front of the database: two connections use one session of the
 * server, or one connection changes its session. LISTEN, session locks and prepared statements then get lost.
 */
export async function sharesSessions(config: pg.ClientConfig): Promise<boolean> {
  const clients = [openClient(config), openClient(config)] as const;
  const [first, second] = clients;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const before = await sessionOf(first);
    // In transaction mode, the session that the first connection has just used is the next to be given out.
    await second.query('begin');
    const other = await sessionOf(second);
    const after = await sessionOf(first);
    await second.query('rollback');
    return other === before || after !== before;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

function openClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: LIMIT_MS, query_timeout: LIMIT_MS });
  // A connection that breaks makes its query fail. It must not crash the process too.
  client.on('error', () => undefined);
  return client;
}

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
