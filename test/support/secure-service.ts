import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsPaths } from '../../src/lib/tls/read-tls-pair.ts';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY } from './service.ts';

const START_LIMIT_MS = 90_000;

/** The whole service with TLS at its own listeners. `env` is the environment of its commands. */
export type SecureService = {
  apiUrl: string;
  edgeUrl: string;
  dataDir: string;
  certificatePath: string;
  env: NodeJS.ProcessEnv;
  output(): string;
  discard(): Promise<void>;
};

/** Starts the service over a new data folder and waits until its log says that it is ready. */
export async function startSecureService(dataDir: string, tls: TlsPaths): Promise<SecureService> {
  const [port, edgePort] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_PORT: String(port),
    MILLRACE_EDGE_PORT: String(edgePort),
    MILLRACE_RTMP_PORT: '0',
    MILLRACE_SRT_PORT: '0',
    MILLRACE_WHIP_PORT: '0',
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
    MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
    MILLRACE_PREVIEWS: 'off',
    MILLRACE_TLS_CERTIFICATE: tls.certificatePath,
    MILLRACE_TLS_KEY: tls.keyPath,
  };
  const program = path.resolve(import.meta.dirname, '../../bin/millrace.js');
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'exit');
  const limit = Date.now() + START_LIMIT_MS;
  while (!output.includes('"event":"service.ready"')) {
    if (child.exitCode !== null || Date.now() > limit) throw new Error(`The service did not start:\n${output}`);
    await sleep(50);
  }
  return {
    apiUrl: `https://127.0.0.1:${port}`,
    edgeUrl: `https://127.0.0.1:${edgePort}`,
    ...{ dataDir, certificatePath: tls.certificatePath, env },
    output: () => output,
    async discard() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
