import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../src/lib/has-code.ts';
import { onceARun } from './once-a-run.ts';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 60_000;

/**
 * Below the ephemeral port range, so that no other process of a run uses one of these ports. Each worker of a run has
 * its own range and returns a port again only after all others, because a service binds its ports some time later.
 */
const PORTS = { from: 20_000 + 500 * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 24), count: 500 };
let drawn = randomInt(PORTS.count);
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export const LIBRARY_KEY = 'test-library-key-0123456789abcdef';
export const ACCOUNT_KEY = 'test-account-key-0123456789abcdef';

export type Health = {
  status: string;
  listeners: Record<string, number>;
  roles: Record<string, string>;
  sandbox: string;
};

/** The whole service as users run it: one process tree with a data folder that remains after it stops. */
export type Service = {
  apiUrl: string;
  edgeUrl: string;
  dataDir: string;
  pid: number;
  /** Output of the service so far, both streams. */
  output(): string;
  health(): Promise<Health>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Kills the supervisor alone with -9. Resolves when it has exited. */
  kill(): Promise<void>;
};

/**
 * Starts the service on free ports and waits until it is ready. If `dataDir` is null, it uses a copy of the folder of a
 * service that was started once. Previews are created only if `env` enables them, since few tests check them. `through`
 * is a command prefix, such as a wrapper script, that runs the service with exec.
 */
export async function startService(
  dataDir: string | null,
  env: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<Service> {
  const folder = dataDir ?? (await copyStarted());
  const [apiPort, edgePort] = [await freePort(), await freePort()];
  const [program = '', ...args] = [...through, process.execPath, path.join(root, 'bin/millrace.js'), 'serve'];
  const child = spawn(program, args, {
    env: { ...process.env, ...serviceEnv(folder, apiPort, edgePort), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', (data: Buffer) => chunks.push(data.toString()));
  child.stderr.on('data', (data: Buffer) => chunks.push(data.toString()));
  const output = () => chunks.join('');
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const health = () => readHealth(apiUrl);
  await untilHealthy(child, health, output);
  return {
    apiUrl,
    edgeUrl: `http://127.0.0.1:${edgePort}`,
    dataDir: folder,
    pid: pidOf(child),
    output,
    health,
    stop: () => endWith(child, 'SIGTERM', ended),
    kill: async () => void (await endWith(child, 'SIGKILL', ended)),
  };
}

/** Stops a service if it still runs and removes its data folder. */
export async function discard(service: Service): Promise<void> {
  await service.stop();
  await rm(service.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Creates an empty data folder for a service that never started. */
export function newDataDir(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'millrace-'));
}

/** Copies the data folder of a service that was started once. The first caller of a run creates that folder. */
export async function copyStarted(): Promise<string> {
  const started = await onceARun('started', async (place) => {
    await mkdir(place, { mode: 0o700 });
    await (await startService(place)).stop();
  });
  const folder = await newDataDir();
  await run('cp', ['-a', `${started}/.`, folder]);
  return folder;
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    drawn = (drawn + 1) % PORTS.count;
    const port = PORTS.from + drawn;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (hasCode(error, 'EADDRINUSE') && tries < 100) continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

function serviceEnv(dataDir: string, apiPort: number, edgePort: number): Record<string, string> {
  return {
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: String(apiPort),
    MILLRACE_EDGE_PORT: String(edgePort),
    MILLRACE_RTMP_PORT: '0',
    MILLRACE_SRT_PORT: '0',
    MILLRACE_WHIP_PORT: '0',
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
    MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
    MILLRACE_PREVIEWS: 'off',
  };
}

async function readHealth(apiUrl: string): Promise<Health> {
  const response = await fetch(`${apiUrl}/healthz`, { signal: AbortSignal.timeout(30_000) });
  // The response comes from the service's own health endpoint. Each test that reads a field asserts on it.
  return (await response.json()) as Health;
}

async function untilHealthy(child: ChildProcess, health: () => Promise<Health>, output: () => string): Promise<void> {
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output()}`);
    const state = await health().catch(() => null);
    if (state?.status === 'ok') return;
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error(`The service was not ready after ${START_LIMIT_MS} ms:\n${output()}`);
}

async function endWith(
  child: ChildProcess,
  signal: NodeJS.Signals,
  ended: Promise<number | null>,
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const code = await ended;
  clearTimeout(timer);
  return code;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The service could not be started.');
  return child.pid;
}
