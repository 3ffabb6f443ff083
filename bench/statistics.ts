import { type ChildProcess, fork } from 'node:child_process';
import { createSecretKey, hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { bucketsOf, newPageName, writeTicket } from '../src/catalog/statistics/sessions/viewing-ticket.ts';
import { parseGuid } from '../src/lib/guid.ts';
import { readMemory } from '../test/support/process-memory.ts';
import { ACCOUNT_KEY, LIBRARY_KEY, type Service } from '../test/support/service.ts';
import { findProcesses } from '../test/support/service-processes.ts';
import { REAL_CLIP } from '../test/support/videos.ts';
import type { SenderResult, SenderTask } from './support/beacon-sender.ts';
import { putFirst } from './support/first-for-cores.ts';
import { type Client, openClient } from './support/http.ts';
import { makeFolder, sendFile, startMillrace, untilFinished } from './support/millrace.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';
import type { Scope } from './support/scope.ts';
import { seedSessions } from './support/seed-sessions.ts';
import { connectTo, seedVideos } from './support/seed-videos.ts';

// Measures statistics over HTTP in a library of `--sessions` sessions (1,000,000) over 30 days, then sends `--beacons`
// beacons per second (5,000) for `--seconds` (60) and measures the effect on media requests, memory and the statistics.
// In the second half, the edge, the sender and the media reader get a higher priority, as if viewers and the database
// were on separate machines. The threads that count the beacons do not.
const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000000' },
    videos: { type: 'string', default: '1000' },
    beacons: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '60' },
  },
});
const DAYS = 30;
const CALLS = 200;
const WARM_UP_CALLS = 50;
/** Interval of a session's beacons, in seconds. */
const BEACON_EACH_SEC = 10;
const HEAT_SEC = 600;
/** Duration for which media is read without other load, in ms. */
const REST_MS = 15_000;
const MEDIA_PAUSE_MS = 30;
const MARK_EACH_MS = 5_000;
const HEADERS = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

type Lab = { service: Service; client: Client; database: pg.Client; ids: readonly string[] };

await report('statistics', async (scope) => {
  const folder = makeFolder(scope);
  const service = await startMillrace(scope);
  const film = await sendFile(service, REAL_CLIP);
  await film.answered;
  await untilFinished(service, film.guid, 600_000);
  await seedVideos(service, folder, Number(options.videos));
  const database = await connectTo(service);
  scope.own(() => database.end());
  await seedSessions(database, { sessions: Number(options.sessions), days: DAYS });
  const client = openClient(8);
  scope.own(() => client.close());
  const shown = JSON.stringify({ ShowHeatmap: true });
  const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
  await client.ask(`${service.apiUrl}/videolibrary/1`, { method: 'POST', headers, body: shown });
  const { rows } = await database.query<{ id: string }>(
    `select id from media where library_id = 1 order by views desc limit ${CALLS}`,
  );
  const lab = { service, client, database, ids: rows.map(({ id }) => id) };
  return [...(await measureReads(lab)), ...(await measureLoad(lab, scope, film.guid))];
});

async function measureReads({ service, client, ids }: Lab): Promise<Measurement[]> {
  const id = (index: number) => ids[index % ids.length];
  const monthAgo = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  const cases: [string, number | null, (index: number) => string][] = [
    ['library, 30 days', 20, () => 'statistics'],
    ['library, 30 days by hour', 20, () => `statistics?hourly=true&dateFrom=${monthAgo}`],
    ['video, 30 days', 5, (index) => `statistics?videoGuid=${id(index)}`],
    ['heatmap', 5, (index) => `videos/${id(index)}/heatmap`],
    ['audience of the library', null, () => 'statistics/audience'],
    ['audience of a video', null, (index) => `statistics/audience?videoGuid=${id(index)}`],
  ];
  const results: Measurement[] = [];
  for (const [name, bar, address] of cases) {
    const times: number[] = [];
    for (let call = -WARM_UP_CALLS; call < CALLS; call += 1) {
      const startMs = performance.now();
      const answer = await client.ask(`${service.apiUrl}/library/1/${address(Math.abs(call))}`, {
        headers: { AccessKey: LIBRARY_KEY },
      });
      if (answer.status !== 200) throw new Error(`Expected 200 for ${name}, got ${answer.status}.`);
      if (call >= 0) times.push(performance.now() - startMs);
    }
    say(`${name}: p50 ${quantile(times, 0.5).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`);
    results.push({ name: `${name}, p50`, ours: quantile(times, 0.5), baseline: null, bar, unit: 'ms' });
  }
  return results;
}

async function measureLoad(
  { service, client, database, ids }: Lab,
  scope: Scope,
  film: string,
): Promise<Measurement[]> {
  const [perSec, seconds] = [Number(options.beacons), Number(options.seconds)];
  const [edge] = await findProcesses(service, 'role.ts edge');
  if (edge === undefined) throw new Error('Expected an edge.');
  const segment = await findSegment(service, client, film);
  const resting = await readMedia(client, segment, () => performance.now() + REST_MS);
  const issue = await ticketWriter(service);
  const tickets = Array.from({ length: perSec * BEACON_EACH_SEC }, (_, index) => issue(ids[index % ids.length] ?? ''));
  const viewsBefore = await viewsOf(database);
  const port = Number(new URL(service.edgeUrl).port);
  const sender = startSender(scope, { port, tickets, perSec, seconds });
  const endMs = performance.now() + seconds * 1000;
  const memory: number[] = [];
  const marks = markMeanwhile({ service, client, database, ids }, issue, endMs);
  const sampling = (async () => {
    for (; performance.now() < endMs; await sleep(1_000)) memory.push(readMemory(edge.pid).nowMib);
  })();
  const shared = await readMedia(client, segment, () => endMs - (seconds * 1000) / 2);
  await putFirst([edge.pid, process.pid, sender.pid]);
  const loaded = await readMedia(client, segment, () => endMs);
  const result = await sender.result;
  const doneMs = performance.now();
  const expected = viewsBefore + tickets.length + (await marks).length;
  while ((await viewsOf(database)) < expected && performance.now() < doneMs + 60_000) await sleep(50);
  const lagSec = (performance.now() - doneMs) / 1000;
  await sampling;
  const lost = expected - (await viewsOf(database));
  say(`${result.sent} beacons sent, ${result.answered} answered, ${result.refused} refused, ${lost} views missing.`);
  say(
    `media p50 and p99: ${both(resting)} at rest; under load ${both(loaded)}, ` +
      `${both(shared)} while the sender and PostgreSQL get as much of the cores as the edge`,
  );
  say(`edge memory by second: ${memory.map((mib) => mib.toFixed(0)).join(' ')} MiB`);
  const half = Math.floor(memory.length / 2);
  const [firstMib, secondMib] = [Math.max(...memory.slice(0, half)), Math.max(...memory.slice(half))];
  const slowest = Math.max(...(await marks), lagSec);
  return [
    {
      name: 'beacons answered a second',
      ours: result.answered / seconds,
      baseline: null,
      bar: perSec * 0.98,
      unit: '1/s',
      isFloor: true,
    },
    { name: 'views missing', ours: Math.abs(lost), baseline: null, bar: 0, unit: '', isSpeedless: true },
    {
      name: 'media p99, cores shared with the sender and PostgreSQL',
      ours: quantile(shared, 0.99),
      baseline: quantile(resting, 0.99),
      bar: null,
      unit: 'ms',
      needsIdle: true,
    },
    {
      name: 'media p99 under load',
      ours: quantile(loaded, 0.99),
      baseline: quantile(resting, 0.99),
      bar: 1.5,
      unit: 'ms',
      needsIdle: true,
    },
    { name: 'edge memory, second half against first', ours: secondMib, baseline: firstMib, bar: 1.25, unit: 'MiB' },
    { name: 'slowest view to be in the numbers', ours: slowest, baseline: null, bar: 5, unit: 's' },
  ];
}

function both(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(1)} and ${quantile(times, 0.99).toFixed(1)} ms`;
}

/** Sends a distinguishable view every few seconds. Returns the times until the API reports each view. */
async function markMeanwhile(
  { service, client, ids }: Lab,
  issue: (id: string) => string,
  endMs: number,
): Promise<number[]> {
  const lags: number[] = [];
  for (let mark = 0; performance.now() < endMs - MARK_EACH_MS; mark += 1) {
    // The playback failure in this view distinguishes it from the views of the load.
    const id = ids.at(-1 - mark) ?? '';
    const seen = async () => {
      const address = `${service.apiUrl}/library/1/statistics/audience?videoGuid=${id}`;
      const { body } = await client.ask(address, { headers: { AccessKey: LIBRARY_KEY } });
      const { failures }: { failures?: { count?: unknown } } = Object(JSON.parse(body.toString()));
      return Number(failures?.count);
    };
    const before = await seen();
    const startMs = performance.now();
    await client.ask(`${service.edgeUrl}/beacons`, { method: 'POST', headers: HEADERS, body: markBody(issue(id)) });
    while ((await seen()) === before && performance.now() < startMs + 30_000) await sleep(300);
    lags.push((performance.now() - startMs) / 1000);
    await sleep(MARK_EACH_MS);
  }
  return lags;
}

/** Returns a beacon of a view with a playback failure, which views of the load do not have. */
function markBody(ticket: string): string {
  const counts = { startupMs: 400, stallCount: 0, stallMs: 0, failures: 1, page: '', rungSec: {} };
  const beacon = { visit: 0, sequence: 0, startedMs: 0, watchedSec: [1], heat: 'AQ', ...counts };
  return `${ticket}\n${JSON.stringify(beacon)}`;
}

/** Returns a function that issues tickets like the service's edge. */
async function ticketWriter({ dataDir }: Service): Promise<(id: string) => string> {
  const key = await readFile(path.join(dataDir, 'secret.key'));
  const secret = createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', 'millrace viewing tickets', 32)));
  return (id) => {
    const mediaId = parseGuid(id);
    if (mediaId === null) throw new Error(`Expected the id of a video, got ${id}.`);
    const buckets = bucketsOf(HEAT_SEC);
    return writeTicket(
      { libraryId: 1, mediaId, issuedAtMs: Date.now() - 1_000, ...buckets, page: newPageName() },
      secret,
    );
  };
}

function startSender(scope: Scope, task: SenderTask): { pid: number; result: Promise<SenderResult> } {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'support/beacon-sender.ts'));
  scope.own(() => child.kill());
  child.send(task);
  if (child.pid === undefined) throw new Error('Expected the sender to start.');
  return { pid: child.pid, result: once(child, 'message').then(([result]) => result) };
}

async function viewsOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ views: string }>('select sum(views) as views from stat_library_hour');
  return Number(rows[0]?.views ?? 0);
}

async function findSegment({ edgeUrl }: Service, client: Client, film: string): Promise<string> {
  const master = `${edgeUrl}/vz-1/${film}/playlist.m3u8`;
  const first = async (url: string) => {
    const { body } = await client.ask(url);
    return new URL(/^(?!#).+$/m.exec(body.toString())?.[0] ?? '', url).href;
  };
  return first(await first(master));
}

/** Reads a segment repeatedly, as viewers do. Returns the duration of each read in ms. */
async function readMedia(client: Client, url: string, until: () => number): Promise<number[]> {
  const times: number[] = [];
  const endMs = until();
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const { status } = await client.ask(url);
    if (status !== 200) throw new Error(`Expected 200 for a segment, got ${status}.`);
    times.push(performance.now() - startMs);
    await sleep(MEDIA_PAUSE_MS);
  }
  return times;
}
