import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from './support/millrace.ts';
import { type Measurement, median, report } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Our edge against nginx as a static server, on loopback: CPU seconds of the server for each segment.
const MEBI = 2 ** 20;
const CLIENTS = 8;
// Many short turns of several processes of each: a machine's pace changes within seconds, and processes that run the same
// code differ by a tenth for as long as they live.
const TURNS = 4;
const PROCESSES = 3;
/** Viewers who come, ask for two segments and go before anything is counted: a server runs for months. */
const WARM_VIEWERS = 800;
const SEGMENTS_PER_CHUNK = 8;
const RENDITION = '/vz-1/00000000-0000-7000-8000-000000000001/r/00000000-0000-7000-8000-000000000002';

/** What is started and written goes with the scope, also when a signal ends the benchmark. */
type Place = { scope: Scope; folder: string };
type Server = { port: number; pids: number[]; stop(): Promise<void> };

await report('delivery', async (scope) => {
  const place = { scope, folder: makeFolder(scope) };
  const large = { bytes: 4 * MEBI, requests: 400 };
  return [
    await compareSegments(place, { ...large, name: '4 MB segment', bar: 1.5 }),
    await compareSegments(place, { ...large, name: 'same, nginx without sendfile', bar: null, copies: true }),
    await compareSegments(place, { name: '256 KiB segment', bytes: MEBI / 4, requests: 1_600, bar: null }),
    await measureLongVideo(place),
  ];
});

/** `copies`: the anchor reads and writes as we must, instead of sendfile. */
type Case = { name: string; bytes: number; requests: number; bar: number | null; copies?: boolean };

async function compareSegments(
  place: Place,
  { name, bytes, requests, bar, copies = false }: Case,
): Promise<Measurement> {
  writeObjects(place.folder, bytes);
  const running: Server[] = [];
  const ours: number[] = [];
  const anchor: number[] = [];
  try {
    const places: { server: Server; folder: string; costs: number[] }[] = [];
    for (let count = 0; count < PROCESSES; count += 1) {
      const edge = own(running, await startOurEdge(place, { bytes, chunks: 1 }));
      const nginx = own(running, await startNginx(place, copies));
      places.push({ server: edge, folder: RENDITION, costs: ours }, { server: nginx, folder: '', costs: anchor });
    }
    for (const { server, folder } of places) {
      for (let come = 0; come < WARM_VIEWERS; come += CLIENTS)
        await fetchAll(server.port, segmentsIn(folder), { requests: 2 * CLIENTS, bytes });
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { server, folder, costs } of places)
        costs.push(await cpuSecPerRequest(server, segmentsIn(folder), { requests, bytes }));
    }
    return { name, ours: median(ours) * 1000, anchor: median(anchor) * 1000, bar, unit: 'cpu-ms' };
  } finally {
    await stopAll(running);
  }
}

function segmentsIn(folder: string): (index: number) => string {
  return (index) => `${folder}/${index % SEGMENTS_PER_CHUNK}.m4s`;
}

/** Memory that a video of 10,000 fragments adds to an edge that served a short one. */
async function measureLongVideo(place: Place): Promise<Measurement> {
  writeObjects(place.folder, MEBI);
  const running: Server[] = [];
  try {
    const short = own(running, await startOurEdge(place, { bytes: MEBI, chunks: 1 }));
    const long = own(running, await startOurEdge(place, { bytes: MEBI, chunks: 5_000 / SEGMENTS_PER_CHUNK }));
    const rss: number[] = [];
    for (const [edge, segments] of [
      [short, 8],
      [long, 5_000],
    ] as const) {
      const path = (index: number) =>
        index % 4 === 0 ? `${RENDITION}/video.m3u8` : `${RENDITION}/${index % segments}.m4s`;
      await fetchAll(edge.port, path, { requests: 2_000, bytes: null });
      rss.push(rssMebi(edge));
    }
    const [before = 0, after = 0] = rss;
    return {
      name: 'RSS added by 10,000 fragments',
      ours: Math.max(0, after - before),
      anchor: null,
      bar: 16,
      unit: 'MiB',
    };
  } finally {
    await stopAll(running);
  }
}

function own(running: Server[], server: Server): Server {
  running.push(server);
  return server;
}

async function stopAll(running: readonly Server[]): Promise<void> {
  await Promise.all(running.map((server) => server.stop()));
}

function writeObjects(folder: string, bytes: number): void {
  const [, , media = '', , rendition = ''] = RENDITION.split('/');
  const chunkFolder = path.join(folder, '1', media, rendition);
  mkdirSync(chunkFolder, { recursive: true });
  mkdirSync(path.join(folder, 'static'), { recursive: true });
  const segment = Buffer.alloc(bytes, 'media');
  writeFileSync(
    path.join(chunkFolder, '0-1.cmaf'),
    Buffer.concat(Array.from({ length: SEGMENTS_PER_CHUNK }, () => segment)),
  );
  for (let index = 0; index < SEGMENTS_PER_CHUNK; index += 1)
    writeFileSync(path.join(folder, 'static', `${index}.m4s`), segment);
}

type Shape = { bytes: number; chunks: number };

async function startOurEdge({ scope, folder }: Place, { bytes, chunks }: Shape): Promise<Server> {
  const script = path.join(import.meta.dirname, 'support/delivery-edge.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, folder, bytes, SEGMENTS_PER_CHUNK, chunks].map(String);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  scope.own(() => stop(child));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(Number(text)));
    child.once('exit', (code) => reject(new Error(`Expected the edge to listen, it exited with ${code}.`)));
  });
  return { port, pids: [child.pid ?? 0], stop: () => stop(child) };
}

async function startNginx({ scope, folder }: Place, copies: boolean): Promise<Server> {
  const port = await freePort();
  const config = path.join(folder, `nginx-${port}.conf`);
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx-${port}.pid; error_log ${folder}/nginx-${port}.log;
     events { worker_connections 512; }
     http { access_log off; sendfile ${copies ? 'off' : 'on'}; output_buffers 1 1m; tcp_nopush on; keepalive_requests 1000000; types { video/mp4 m4s; }
       client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
       uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5; open_file_cache max=100;
       server { listen 127.0.0.1:${port}; root ${folder}/static; } }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  scope.own(() => stop(child));
  await fetchWhenUp(port);
  return { port, pids: [child.pid ?? 0], stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // A TCP server that listens has an address of this kind.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function fetchWhenUp(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      await fetchAll(port, () => '/0.m4s', { requests: 1, bytes: null });
      return;
    } catch (error) {
      if (attempt === 99) throw error;
      await sleep(50);
    }
  }
}

type Load = { requests: number; bytes: number | null };

async function cpuSecPerRequest(server: Server, pathOf: (index: number) => string, load: Load): Promise<number> {
  const before = cpuSec(server);
  await fetchAll(server.port, pathOf, load);
  return (cpuSec(server) - before) / load.requests;
}

async function fetchAll(port: number, pathOf: (index: number) => string, { requests, bytes }: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let next = 0;
  const client = async () => {
    while (next < requests) {
      const path = pathOf(next);
      next += 1;
      const came = await countBytes(agent, port, path);
      if (bytes !== null && came !== bytes) throw new Error(`Expected ${bytes} bytes of ${path}, got ${came}.`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
}

function countBytes(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port, path }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(bytes)
          : reject(new Error(`Expected 200 for ${path}, got ${response.statusCode}.`)),
      );
    }).on('error', reject);
  });
}

/** Time on a core of the server's processes, all threads, to the nanosecond (proc(5), schedstat). */
function cpuSec({ pids }: Server): number {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
  );
  return threads.reduce(
    (sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
    0,
  );
}

function rssMebi({ pids }: Server): number {
  return (
    pids.reduce(
      (sum, pid) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
      0,
    ) / 1024
  );
}
