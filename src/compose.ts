import { statfs } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { EnsureFirstLibrary } from './cli/first-start.ts';
import { describeHealth, type Fleet, type StorageHealth } from './cli/health.ts';
import { databaseAnswers, withDatabase } from './cli/supervisor/reach-database.ts';
import type { Role } from './config/roles.ts';
import type { RoleSettings } from './config/settings.ts';
import { closeServer, listen } from './lib/listen.ts';

/** A role at work. `health` is asked every second or so; `close` drains and ends all it holds. */
export type RunningRole = {
  listeners: Record<string, number>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  close(): Promise<void>;
};

/** What a role may ask of the process that it runs in: the state of all parts, for `/healthz`. */
export type RoleHost = { fleet: () => Fleet };

const DRAIN_MS = 5000;

/** Brings the database to this version and finds or makes library 1. Runs before any role starts. */
export function openFirstLibrary({ database }: RoleSettings): EnsureFirstLibrary {
  return async (keys) =>
    await withDatabase(database, async (client) => {
      await client.query('create table if not exists first_library (id int primary key, keys json not null)');
      const wanted = JSON.stringify({ ...keys, readOnlyKey: crypto.randomUUID() });
      const made = await client.query('insert into first_library values (1, $1) on conflict do nothing', [wanted]);
      const found = await client.query('select keys from first_library');
      return { created: made.rowCount === 1, libraryId: 1, ...found.rows[0].keys };
    });
}

/** Starts one role; it has opened what it needs when this answers. */
export async function startRole(role: Role, settings: RoleSettings, host: RoleHost): Promise<RunningRole> {
  switch (role) {
    case 'api':
      return await startListener({ name: 'api', port: settings.port, answer: answerHealth(settings, host) }, settings);
    case 'edge':
      return await startListener({ name: 'edge', port: settings.edgePort, answer: answerNotFound }, settings);
    case 'ingest':
    case 'worker':
      return { listeners: {}, health: async () => await databaseAnswers(settings.database), close: async () => {} };
  }
}

type Listener = { name: string; port: number; answer: RequestListener };

async function startListener({ name, port, answer }: Listener, settings: RoleSettings): Promise<RunningRole> {
  const server = createServer(answer);
  const realPort = await listen(server, port, settings.host);
  return {
    listeners: { [name]: realPort },
    health: async () => await databaseAnswers(settings.database),
    close: async () => await closeServer(server, DRAIN_MS),
  };
}

function answerHealth(settings: RoleSettings, host: RoleHost): RequestListener {
  return async (request, response) => {
    if (request.url !== '/healthz') {
      response.writeHead(404).end();
      return;
    }
    const { status, body } = describeHealth(host.fleet(), await storageHealth(settings));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const answerNotFound: RequestListener = (_request, response) => {
  response.writeHead(404).end();
};

async function storageHealth({ storage, dataDir }: RoleSettings): Promise<StorageHealth> {
  if (storage.kind === 's3') return { kind: 's3' };
  const { bavail, blocks, bsize } = await statfs(dataDir);
  return { kind: 'file', freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
