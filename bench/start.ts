import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY } from '../test/support/service.ts';
import { makeFolder } from './support/millrace.ts';
import { listTree, programOf, pssBytes } from './support/process-tree.ts';
import { median, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Measures how long `npm start` takes to become ready on an existing data folder, and the memory of all its processes a
// minute later. The baselines are `npm start` of a package that only starts a Node HTTP server, and the same number of
// empty Node processes as the service has.
const RUNS = 5;
const READY_LIMIT_MS = 60_000;
const IDLE_SEC = 60;
const MEBI = 2 ** 20;
const root = path.resolve(import.meta.dirname, '..');
const BARE_SERVER =
  "require('node:http').createServer((_, answer) => answer.end())" + ".listen(process.env.MILLRACE_PORT, '127.0.0.1')";

await report('start', async (scope) => {
  const folder = makeFolder(scope);
  const dataDir = path.join(folder, 'data');
  const bare = path.join(folder, 'bare');
  await makeBarePackage(bare);
  await (await startIn(scope, root, dataDir)).stop();
  const [ours, baseline]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    for (const [cwd, times] of [
      [root, ours],
      [bare, baseline],
    ] as const) {
      const started = await startIn(scope, cwd, dataDir);
      times.push(started.readySec);
      await started.stop();
    }
  }
  say(`ready after ${ours.map((sec) => sec.toFixed(2)).join(' ')} s`);
  const memory = await measureMemory(scope, dataDir);
  return [
    {
      name: 'npm start to ready, second start',
      ours: median(ours),
      baseline: median(baseline),
      bar: 2,
      unit: 's',
      isAbsolute: true,
    },
    {
      name: 'idle memory of all roles and PostgreSQL',
      ...memory,
      bar: 350,
      unit: 'MiB PSS',
      isAbsolute: true,
      isSpeedless: true,
    },
  ];
});

type Started = { pid: number; readySec: number; stop(): Promise<void> };

async function makeBarePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  writeFileSync(path.join(folder, 'server.cjs'), BARE_SERVER);
  const scripts = { start: `exec ${process.execPath} server.cjs` };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'bare', private: true, scripts }));
}

async function startIn(scope: Scope, cwd: string, dataDir: string): Promise<Started> {
  const [port, edgePort] = [await freePort(), await freePort()];
  const startedMs = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd,
    stdio: 'ignore',
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_PORT: String(port),
      MILLRACE_EDGE_PORT: String(edgePort),
      MILLRACE_RTMP_PORT: '0',
      MILLRACE_SRT_PORT: '0',
      MILLRACE_WHIP_PORT: '0',
      MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
      MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
    },
  });
  const stop = () => end(child);
  scope.own(stop);
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`npm start in ${path.basename(cwd)} ended with ${child.exitCode}.`);
    if (performance.now() - startedMs > READY_LIMIT_MS)
      throw new Error(`Expected the service to be ready within ${READY_LIMIT_MS} ms, but it was not.`);
    await sleep(5);
  }
  return { pid: child.pid ?? 0, readySec: (performance.now() - startedMs) / 1000, stop };
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Ends a service. npm forwards SIGTERM to the script that it runs. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function measureMemory(scope: Scope, dataDir: string): Promise<{ ours: number; baseline: number }> {
  const service = await startIn(scope, root, dataDir);
  await sleep(IDLE_SEC * 1000);
  const tree = listTree(service.pid);
  const byProgram = Map.groupBy(tree, programOf);
  for (const [program, pids] of byProgram) say(`${program} x ${pids.length}: ${mebiOf(pids).toFixed(1)} MiB`);
  const ours = mebiOf(tree);
  const nodes = byProgram.get('node')?.length ?? byProgram.get('MainThread')?.length ?? 1;
  await service.stop();
  return { ours, baseline: await bareNodesMebi(scope, nodes) };
}

async function bareNodesMebi(scope: Scope, count: number): Promise<number> {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', `${BARE_SERVER.replace('process.env.MILLRACE_PORT', '0')};console.log('up')`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  scope.own(() => Promise.all(children.map(end)));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  await sleep(1_000);
  const mebi = mebiOf(children.map(({ pid }) => pid ?? 0));
  await Promise.all(children.map(end));
  return mebi;
}

function mebiOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + pssBytes(pid), 0) / MEBI;
}
