import { Client } from 'pg';
import type { DatabaseConnection, OwnConnection } from '../../config/database.ts';
import { hasCode } from '../../lib/has-code.ts';

const CONNECT_TIMEOUT_MS = 3000;
/** SQLSTATE invalid_catalog_name. */
const UNKNOWN_DATABASE = '3D000';

/** Runs work on a separate connection and closes it. */
export async function withDatabase<T>(
  connection: DatabaseConnection,
  task: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // Without a listener, a connection that breaks between two queries would crash the process. With it, the next query
  // rejects.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

/** Returns whether the database accepts connections and responds, with the reason if it does not. */
export async function databaseAnswers(connection: DatabaseConnection): Promise<{ ok: boolean; detail?: string }> {
  try {
    await withDatabase(connection, async (client) => await client.query('select 1'));
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: `database: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Returns the number of connections that the server accepts from ordinary users, and the number of open ones. */
export async function countConnections(connection: DatabaseConnection): Promise<{ most: number; used: number }> {
  return await withDatabase(connection, async (client) => {
    const { rows } = await client.query<{ most: number; used: number }>(`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`);
    const [row] = rows;
    if (row === undefined) throw new Error('Expected a row with the number of connections, got none.');
    return row;
  });
}

/**
 * Returns the reason why the built-in server is not usable, or null if it accepts connections. Creates the database if
 * the cluster is new.
 */
export async function describeUnreadiness(connection: OwnConnection): Promise<string | null> {
  try {
    await reachOrCreate(connection);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function reachOrCreate(connection: OwnConnection): Promise<void> {
  try {
    await withDatabase(connection, async (client) => await client.query('select 1'));
  } catch (error) {
    if (!hasCode(error, UNKNOWN_DATABASE)) throw error;
    await withDatabase({ ...connection, database: 'postgres' }, async (client) => {
      await client.query(`create database ${client.escapeIdentifier(connection.database)}`);
    });
  }
}
