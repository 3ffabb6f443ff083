import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { METRIC_DEFINITIONS, type MetricDefinition } from '../../src/lib/metrics/metric-definitions.ts';
import { descendantsOf } from '../house/service.ts';
import { type LiveCatalogue, NO_RUNGS, openLiveCatalogue, publish, startLive } from '../live/live-service.ts';
import { makeClip } from '../support/media/run-clip.ts';
import { ACCOUNT_KEY, discard, freePort, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy/prometheus');
const PATIENCE = { timeout: 90_000, interval: 300 };
const families = Object.values<MetricDefinition>(METRIC_DEFINITIONS);
type Panel = { title: string; targets?: { expr: string }[] };

let folder: string;
let service: Service;
let catalogue: LiveCatalogue;
let receiver: Receiver;
let prometheus: ChildProcess;
let prometheusUrl: string;
let pageUrl: string;
let alerts: string;
let panels: Panel[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-prometheus-'));
  alerts = await readFile(path.join(DEPLOY, 'alerts.yml'), 'utf8');
  panels = JSON.parse(await readFile(path.join(DEPLOY, 'dashboard.json'), 'utf8')).panels;
  receiver = await startReceiver();
  receiver.script(status(200));
  service = await startService(null, { MILLRACE_METRICS_PORT: '0', MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' });
  catalogue = await openLiveCatalogue(service);
  pageUrl = `http://127.0.0.1:${(await service.health()).listeners.metrics}/metrics`;
  await startPrometheus();
}, 180_000);
afterAll(async () => {
  prometheus?.kill('SIGKILL');
  if (prometheus?.exitCode === null && prometheus.signalCode === null) await once(prometheus, 'exit');
  await catalogue?.database.close();
  if (service !== undefined) await discard(service);
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startPrometheus(): Promise<void> {
  const port = await freePort();
  prometheusUrl = `http://127.0.0.1:${port}`;
  const config = path.join(folder, 'prometheus.yml');
  await writeFile(
    config,
    `global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 5s }
rule_files: ['${DEPLOY}/alerts.yml']
scrape_configs: [{ job_name: millrace, static_configs: [{ targets: ['${new URL(pageUrl).host}'] }] }]
`,
  );
  const data = `--storage.tsdb.path=${folder}/data`;
  const args = [`--config.file=${config}`, data, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  prometheus = spawn('prometheus', args, { stdio: 'inherit' });
  await vi.waitFor(async () => expect((await fetch(`${prometheusUrl}/-/ready`)).status).toBe(200), PATIENCE);
}

type Result = { metric: Record<string, string>; value: [number, string] };

/** Runs an instant query with the range that Grafana would insert. */
async function query(expr: string): Promise<Result[]> {
  const text = expr.replaceAll('$__rate_interval', '2m');
  const answer = await fetch(`${prometheusUrl}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query: text }),
  });
  const { status: outcome, error, data } = Object(await answer.json());
  if (outcome !== 'success') throw new Error(`${expr}: ${error}`);
  return data.result;
}

async function readSeries(): Promise<string[]> {
  const page = await (await fetch(pageUrl)).text();
  return page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the values of one metric on the page, by role. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const lines = (await readSeries()).filter((line) => line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => [/role="(\w+)"/.exec(line)?.[1] ?? '', Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

/**
 * Uploads and plays two videos, refuses a request, reports by webhook, and publishes a live stream. The second video
 * increases counters that Prometheus has scraped before, because a rate needs two samples.
 */
async function makeTraffic(): Promise<void> {
  const set = await fetch(`${service.apiUrl}/videolibrary/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ WebhookUrl: `${receiver.url}/hook`, EnabledResolutions: '240p' }),
  });
  expect(set.status).toBe(200);
  const clip = await makeClip(folder, 'clip.avi', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=4', '-f', 'lavfi', '-i', 'sine=d=4'],
    ...['-c:v', 'mpeg4', '-c:a', 'pcm_s16le'],
  ]);
  for (const title of ['First', 'Second']) {
    const guid = await createVideo(service, title);
    expect((await uploadFile(service, guid, clip)).status).toBe(200);
    await untilVideo(service, guid, (video) => video.status === FINISHED);
    await play(playlistUrl(service, guid));
    await untilScraped('millrace_webhook_duration_seconds_count', 'millrace_task_duration_seconds_count');
  }
  const stream = await startLive({ service, catalogue });
  await publish(stream.ingest, NO_RUNGS);
  await vi.waitFor(() => play(`${stream.base}/playlist.m3u8`), PATIENCE);
}

/** Waits until Prometheus has a value of each metric. */
async function untilScraped(...names: string[]): Promise<void> {
  await vi.waitFor(async () => {
    for (const name of names) expect(await query(name)).not.toEqual([]);
  }, PATIENCE);
}

/** Fetches a playlist and the first file of each playlist below it, twice. */
async function play(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} returned ${answer.status}.`);
  if (!url.includes('.m3u8')) {
    await answer.arrayBuffer();
    await (await fetch(url)).arrayBuffer();
    return;
  }
  const next = (await answer.text()).split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (next === undefined) throw new Error(`${url} lists nothing.`);
  await play(new URL(next, url).href);
}

test('promtool accepts the alert rules, and every name in rules and panels is in the table', () => {
  execFileSync('promtool', ['check', 'rules', path.join(DEPLOY, 'alerts.yml')], { stdio: 'pipe' });
  const expressions = [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), alerts];
  const names = new Set(expressions.flatMap((text) => text.match(/\b(millrace|process)_[a-z_]+/g) ?? []));
  const known = families.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  expect(names.size).toBeGreaterThan(35);
});

test('with traffic, every panel has data, and no alert fires', { timeout: 240_000 }, async () => {
  await makeTraffic();
  const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  expect(expressions.length).toBeGreaterThan(50);
  await vi.waitFor(async () => {
    const empty: string[] = [];
    for (const { title, expr } of expressions) {
      const results = await query(expr);
      if (!results.some(({ value }) => Number.isFinite(Number(value[1])))) empty.push(`${title}: ${expr}`);
    }
    expect(empty).toEqual([]);
  }, PATIENCE);
  expect(await query('ALERTS{alertstate="firing"}')).toEqual([]);
  // No alert may be pending either: alerts fire only after several minutes.
  expect(await query('ALERTS{alertname=~".*(Down|NearlyFull)"}')).toEqual([]);
  expect(await valuesOf('millrace_role_up')).toEqual({ supervisor: 1, api: 1, edge: 1, worker: 1, ingest: 1 });
  const [speed] = await query('sum(millrace_encode_media_seconds_total{codec="h264"})');
  expect(Number(speed?.value[1])).toBeGreaterThanOrEqual(4);
  const [bytes] = await query('millrace_edge_sent_bytes_total{role="edge"}');
  expect(Number(bytes?.value[1])).toBeGreaterThan(50_000);
});

test('traffic to many videos, streams, libraries and paths does not add series', { timeout: 120_000 }, async () => {
  const visit = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const id = newGuid();
      const key = { headers: { AccessKey: ACCOUNT_KEY } };
      const urls = [
        `${service.edgeUrl}/vz-1/${id}/playlist.m3u8`,
        `${service.edgeUrl}/vz-${round + 2}/${id}/r/${newGuid()}/${round}.m4s`,
        `${service.edgeUrl}/embed/${round + 2}/${id}`,
        `${service.edgeUrl}/${id}/${round}`,
        `${service.apiUrl}/library/${round + 2}/videos/${id}`,
        `${service.apiUrl}/library/1/live/${id}`,
        `${service.apiUrl}/nothing/${id}`,
      ];
      await Promise.all(urls.map(async (url) => (await fetch(url, key)).arrayBuffer()));
      await call(service, 'POST', '/library/1/videos', { title: `Video ${round}` });
    }
  };
  await visit(2);
  const identities = async () => (await readSeries()).map((line) => line.slice(0, line.lastIndexOf(' ')));
  const before = new Set(await identities());
  await visit(60);
  const after = await identities();
  // Background jobs may have run for the first time.
  expect(after.filter((one) => !before.has(one) && !/_(task|job|storage|database)_/.test(one))).toEqual([]);
  expect(after.length).toBeLessThan(2500);
  expect(after.filter((one) => /[0-9a-f]{8}-[0-9a-f]{4}|127\.0\.0\.1/.test(one))).toEqual([]);
});

test('a role that does not respond is reported as down, and the remaining roles stay on the page', async () => {
  const edge = descendantsOf(service.pid).find(({ command }) => /role\.ts edge\b/.test(command));
  if (edge === undefined) throw new Error('Expected a process of the edge.');
  process.kill(edge.pid, 'SIGSTOP');
  try {
    expect(await valuesOf('millrace_role_up')).toEqual({ supervisor: 1, api: 1, edge: 0, worker: 1, ingest: 1 });
    expect(await valuesOf('millrace_edge_open_connections')).not.toHaveProperty('edge');
  } finally {
    process.kill(edge.pid, 'SIGCONT');
  }
  await vi.waitFor(async () => expect(await valuesOf('millrace_role_up')).toMatchObject({ edge: 1 }), PATIENCE);
});

test('the page is refused to other machines unless a setting permits them', async () => {
  const answer = await fetch(pageUrl, { headers: { 'X-Forwarded-For': '192.0.2.7' } });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('MILLRACE_METRICS_ALLOW')]);
});
