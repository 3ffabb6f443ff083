import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Import, makeFiles, startImporter, untilImport } from '../imports/import-fixture.ts';
import {
  libraryKey,
  type ScriptedStream,
  SOURCE_ACCOUNT_KEY,
  startScriptedStream,
} from '../imports/scripted-stream.ts';
import { discard, type Service } from '../support/service.ts';
import { killTree } from '../support/service-processes.ts';

const isSoak = process.env.MODE === 'soak';
const LIBRARIES = isSoak ? 3 : 2;
const VIDEOS = isSoak ? 100 : 12;
const KILLS = isSoak ? 5 : 2;

let service: Service;
let source: ScriptedStream;
beforeAll(async () => {
  const files = await makeFiles();
  source = await startScriptedStream({ libraries: LIBRARIES, videos: VIDEOS, pageItems: 5, ...files });
  service = await startImporter(null);
});
afterAll(async () => {
  await discard(service);
  await source.stop();
});

const isOver = ({ state }: Import) => ['finished', 'planned', 'cancelled', 'failed'].includes(state);
const over = (at: string) => untilImport(() => service, at, isOver);

const guidsOf = (items: readonly object[]) => new Set(items.map((item) => Object(item).guid));

async function start(target: number, sourceLibraryId: number, more: object = {}): Promise<string> {
  const wanted = { source: 'bunny', apiUrl: source.url, coreUrl: source.url, cdnUrl: `${source.url}/cdn` };
  const access = { accountKey: SOURCE_ACCOUNT_KEY, sourceLibraryId, concurrency: 4 };
  const body = { ...wanted, ...access, ...more };
  const { guid } = await ask<Import>(service, 'POST', `/library/${target}/imports`, body);
  return `/library/${target}/imports/${guid}`;
}

async function expectCarried(target: number, library: number): Promise<void> {
  const { items } = await ask<{ items: Record<string, unknown>[] }>(
    service,
    'GET',
    `/library/${target}/videos?itemsPerPage=1000`,
  );
  const wanted = source.videos(library).filter(({ hasFile, isReachable }) => hasFile && isReachable);
  expect(guidsOf(items)).toEqual(guidsOf(wanted));
  for (const { guid, model } of wanted) {
    const {
      videoLibraryId,
      status,
      length,
      availableResolutions,
      storageSize,
      thumbnailUrl,
      thumbnailFileName,
      ...kept
    } = model;
    const { captions, hasOriginal, hasMP4Fallback, dateUploaded, ...same } = kept;
    const found = items.find((item) => item.guid === guid);
    expect(found).toMatchObject({ ...same, dateUploaded: expect.stringContaining(String(dateUploaded).slice(0, 19)) });
    const tracks = Array.isArray(captions) ? captions.map(({ srclang, label }) => ({ srclang, label })) : [];
    expect(found?.captions).toMatchObject(tracks);
    expect(found?.thumbnailFileName === 'thumbnail.jpg').toBe(thumbnailFileName === 'thumbnail.jpg');
  }
}

/** Asserts on the charts, whose sums are the totals of the imported videos, and on the settings. */
async function expectChartsAndSettings(target: number, library: number): Promise<void> {
  type Charts = { viewsChart: Record<string, number>; watchTimeChart: Record<string, number> };
  const at = `/library/${target}/statistics?dateFrom=2024-01-01&dateTo=2025-01-01`;
  const charts = await ask<Charts>(service, 'GET', at);
  const wanted = source.videos(library).filter(({ hasFile, isReachable }) => hasFile && isReachable);
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const total = (name: string) => sum(wanted.map(({ model }) => Number(model[name])));
  expect(sum(Object.values(charts.viewsChart))).toBe(total('views'));
  expect(sum(Object.values(charts.watchTimeChart))).toBe(total('totalWatchTime'));
  expect(await ask(service, 'GET', `/videolibrary/${target}`)).toMatchObject({
    Name: target === 1 ? expect.any(String) : `Copy ${library}`,
    PlayerKeyColor: '#112233',
    UILanguage: 'fr',
  });
}

test('a dry run plans the import without creating anything, and a resume carries it out', {
  timeout: 600_000,
}, async () => {
  const at = await start(1, 1, { dryRun: true });
  const plan = await over(at);
  const without = source.videos(1).filter(({ hasFile }) => !hasFile).length;
  expect(plan).toMatchObject({ state: 'planned', counts: { total: VIDEOS + 2, skipped: without } });
  expect(plan.counts.waiting).toBe(VIDEOS + 2 - without);
  expect(plan.counts.sizeBytes).toBe(5_000 * (VIDEOS - without));
  expect((await ask<Import>(service, 'GET', '/library/1/videos')).items).toEqual([]);
  source.fail(2, 429, { 'Retry-After': '1' });
  await ask(service, 'POST', `${at}/resume`);
  const report = await over(at);
  expect(report).toMatchObject({ state: 'finished', counts: { waiting: 0, fetching: 0, skipped: without } });
  const failed = report.items.filter(({ state }) => state === 'failed');
  const lost = source.videos(1).filter(({ hasFile, isReachable }) => hasFile && !isReachable);
  expect(guidsOf(failed)).toEqual(guidsOf(lost));
  for (const { reason } of failed) expect(reason).toContain('HTTP 404');
  await expectCarried(1, 1);
  await expectChartsAndSettings(1, 1);
  const shelves = await ask<Import>(service, 'GET', '/library/1/collections');
  expect(guidsOf(shelves.items)).toEqual(guidsOf(source.collections(1)));
});

test('a second import of the same library does nothing', { timeout: 600_000 }, async () => {
  const requests = () => source.seen.filter((path) => path.endsWith('/original') || path.endsWith('.mp4')).length;
  await expectCarried(1, 1);
  const lost = source.videos(1).filter(({ hasFile, isReachable }) => hasFile && !isReachable).length;
  const report = await over(await start(1, 1));
  expect(report.counts).toMatchObject({ imported: 0, failed: lost, skipped: VIDEOS + 2 - lost });
  const before = requests();
  expect(report.items.filter(({ reason }) => reason?.startsWith('An earlier import')).length).toBeGreaterThan(0);
  expect(requests()).toBe(before);
});

test('reports GUIDs that another library uses, and imports nothing over them', { timeout: 600_000 }, async () => {
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Other' });
  const report = await over(await start(Id, 1));
  const taken = report.items.filter(({ reason }) => reason?.startsWith('The GUID is in use'));
  const wanted = source.videos(1).filter(({ hasFile, isReachable }) => hasFile && isReachable);
  expect(taken.length).toBe(wanted.length);
});

test('a wrong key ends the import with the reason', { timeout: 600_000 }, async () => {
  const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Refused' });
  const refused = await over(await start(Id, 2, { accountKey: 'wrong', accessKey: libraryKey(2) }));
  expect(refused).toMatchObject({ state: 'failed', reason: expect.stringContaining('401') });
});

test(`imports complete with the same GUIDs while the service is killed ${KILLS} times`, {
  timeout: 1_200_000,
}, async () => {
  const jobs: { target: number; library: number; at: string }[] = [];
  for (let library = 2; library <= LIBRARIES; library += 1) {
    const { Id } = await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: `Copy ${library}` });
    jobs.push({ target: Id, library, at: await start(Id, library) });
  }
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const share = (VIDEOS / (KILLS + 1)) * kill * 0.6;
    await untilImport(
      () => service,
      jobs[0]?.at ?? '',
      (report) => isOver(report) || (report.counts.imported ?? 0) >= share,
    );
    await killTree(service);
    service = await startImporter(service.dataDir);
  }
  for (const { target, library, at } of jobs) {
    const report = await over(at);
    expect(report).toMatchObject({ state: 'finished', counts: { waiting: 0, fetching: 0 } });
    await expectCarried(target, library);
    await expectChartsAndSettings(target, library);
  }
});
