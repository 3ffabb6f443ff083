import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signFolder } from '../src/catalog/pull-zones/verify-url-token.ts';
import { type DeliveryServer, startDeliveryEdge, stopChild } from './support/delivery-server.ts';
import { SECURITY_KEY } from './support/delivery-zone.ts';
import { makeFolder } from './support/millrace.ts';
import { cpuSecOf } from './support/process-cpu.ts';
import { type Measurement, median, report } from './support/report.ts';
import type { Scope } from './support/scope.ts';

// Compares the CPU time per file of the edge and of nginx, on loopback, without and with a token. The baselines are
// nginx as a static server, and nginx with signed URLs (secure_link).
const MEBI = 2 ** 20;
const CLIENTS = 8;
// Number of short rounds, each with several processes per side: the speed of a machine changes within seconds, and the
// speed of two processes with the same code differs by up to a tenth permanently.
const TURNS = 4;
const PROCESSES = 3;
/**
 * Number of viewers who request two segments and leave before the measurement begins, because a real server has served
 * viewers for months.
 */
const WARM_VIEWERS = 800;
const SEGMENTS_PER_CHUNK = 8;
const MEDIA = '00000000-0000-7000-8000-000000000001';
const RENDITION_ID = '00000000-0000-7000-8000-000000000002';
const RENDITION = `/vz-1/${MEDIA}/r/${RENDITION_ID}`;
/** Expiry of the tokens for the zone that requires them, in the same library. */
const ENDS_SEC = 4_000_000_000;
const TOKEN = signFolder({ key: SECURITY_KEY, folder: `/${MEDIA}/`, expiresSec: ENDS_SEC, address: null });
const SIGNED_RENDITION = `/vz-2/${TOKEN}/${MEDIA}/r/${RENDITION_ID}`;
const LINK_SECRET = 'a secret';
const TOKEN_BAR_MS = 0.02;
const PLAYLIST = 'video.m3u8';
/** Number of chunks that make a playlist of 2 KB. */
const CHUNKS_OF_PLAYLIST = 4;

/** The scope ends the processes and deletes the files, even if a signal ends the benchmark. */
type Place = { scope: Scope; folder: string };
type Server = DeliveryServer;

await report('delivery', async (scope) => {
  const place = { scope, folder: makeFolder(scope) };
  const large = { bytes: 4 * MEBI, requests: 400 };
  return [
    ...(await compareFiles(place, { ...large, name: '4 MB segment', bar: 1.5 })),
    ...(await compareFiles(place, { ...large, name: '4 MB, nginx without sendfile', bar: null, copies: true })),
    ...(await compareFiles(place, { name: '256 KiB segment', bytes: MEBI / 4, requests: 1_600, bar: null })),
    ...(await compareFiles(place, { name: '2 KB playlist', bytes: MEBI, requests: 4_000, bar: null, file: PLAYLIST })),
    await measureLongVideo(place),
  ];
});

/**
 * One comparison. `bytes` is the size of a segment. With `copies`, the baseline reads and writes, as the edge must,
 * instead of using sendfile. `file` is the fetched file. Default: one segment after the other.
 */
type Case = { name: string; bytes: number; requests: number; bar: number | null; copies?: boolean; file?: string };

async function compareFiles(
  place: Place,
  { name, bytes, requests, bar, copies = false, file }: Case,
): Promise<Measurement[]> {
  writeObjects(place.folder, bytes);
  const running: Server[] = [];
  const costs = { plain: [] as number[], signed: [] as number[], fixed: [] as number[], linked: [] as number[] };
  try {
    const chunks = file === undefined ? 1 : CHUNKS_OF_PLAYLIST;
    const turns: (Load & { server: Server; pathOf: (index: number) => string; spent: number[] })[] = [];
    for (let count = 0; count < PROCESSES; count += 1) {
      const edge = own(running, await startOurEdge(place, { bytes, chunks }));
      const fetched = file === undefined ? bytes : await copyFile(place, edge, file);
      const nginx = own(running, await startNginx(place, copies));
      const load = { requests, bytes: fetched };
      const nameOf = (index: number) => file ?? `${index % SEGMENTS_PER_CHUNK}.m4s`;
      turns.push(
        { ...load, server: edge, pathOf: (index) => `${RENDITION}/${nameOf(index)}`, spent: costs.plain },
        { ...load, server: edge, pathOf: (index) => `${SIGNED_RENDITION}/${nameOf(index)}`, spent: costs.signed },
        { ...load, server: nginx, pathOf: (index) => `/${nameOf(index)}`, spent: costs.fixed },
        { ...load, server: nginx, pathOf: (index) => signLink(`/linked/${nameOf(index)}`), spent: costs.linked },
      );
    }
    for (const { server, pathOf, bytes: expected } of turns) {
      for (let come = 0; come < WARM_VIEWERS; come += CLIENTS)
        await fetchAll(server.port, pathOf, { requests: 2 * CLIENTS, bytes: expected });
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { server, pathOf, spent, ...load } of turns) spent.push(await cpuSecPerRequest(server, pathOf, load));
    }
  } finally {
    await stopAll(running);
  }
  const [plain, signed, fixed, linked] = [costs.plain, costs.signed, costs.fixed, costs.linked].map(
    (spent) => median(spent) * 1000,
  ) as [number, number, number, number]; // One result per input.
  const unit = 'cpu-ms';
  return [
    { name, ours: plain, baseline: fixed, bar, unit },
    { name: '  by token; baseline: secure_link', ours: signed, baseline: linked, bar, unit },
    // The zone with tokens is a separate zone with its own cached responses. A negative difference is noise.
    { name: '  what the token adds', ours: Math.max(0, signed - plain), baseline: null, bar: TOKEN_BAR_MS, unit },
  ];
}

/** Copies a file from the edge, so that nginx serves the same bytes. Returns the size. */
async function copyFile({ folder }: Place, { port }: Server, file: string): Promise<number> {
  const bytes = Buffer.from(await (await fetch(`http://127.0.0.1:${port}${RENDITION}/${file}`)).arrayBuffer());
  writeFileSync(path.join(folder, 'static', file), bytes);
  return bytes.length;
}

/** Signs a link for nginx's secure_link module. */
function signLink(uri: string): string {
  const digest = createHash('md5').update(`${ENDS_SEC}${uri} ${LINK_SECRET}`).digest('base64url');
  return `${uri}?md5=${digest}&expires=${ENDS_SEC}`;
}

/** Measures the memory that a video of 10,000 fragments adds to an edge that has served a short one. */
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
      baseline: null,
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

async function startOurEdge({ scope, folder }: Place, shape: Shape): Promise<Server> {
  return startDeliveryEdge(scope, { ...shape, folder, segmentsPerChunk: SEGMENTS_PER_CHUNK });
}

async function startNginx({ scope, folder }: Place, copies: boolean): Promise<Server> {
  const port = await freePort();
  const config = path.join(folder, `nginx-${port}.conf`);
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx-${port}.pid; error_log ${folder}/nginx-${port}.log;
     events { worker_connections 512; }
     http { access_log off; sendfile ${copies ? 'off' : 'on'}; output_buffers 1 1m; tcp_nopush on;
       keepalive_requests 1000000; types { video/mp4 m4s; }
       client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
       uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5; open_file_cache max=100;
       server { listen 127.0.0.1:${port}; root ${folder}/static;
         location /linked/ { alias ${folder}/static/; secure_link $arg_md5,$arg_expires;
           secure_link_md5 "$secure_link_expires$uri ${LINK_SECRET}";
           if ($secure_link = "") { return 403; } if ($secure_link = "0") { return 410; } } } }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  scope.own(() => stopChild(child));
  await fetchWhenUp(port);
  return { port, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // The address of a listening TCP server is an AddressInfo.
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
  const before = cpuSecOf(server.pid);
  await fetchAll(server.port, pathOf, load);
  return (cpuSecOf(server.pid) - before) / load.requests;
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

function rssMebi({ pid }: Server): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
