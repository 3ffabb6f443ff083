import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import type { Fields } from './export-fixture.ts';
import { ask, type Import, makeFiles, makeSegments, startImporter, untilImport } from './import-fixture.ts';
import { type ScriptedStream, SOURCE_ACCOUNT_KEY, startScriptedStream } from './scripted-stream.ts';

type Settings = { state: string; changes: Fields[]; leftOut: Fields[]; reason: string | null };
type Report = Import & { settings: Settings | null };

let service: Service;
let source: ScriptedStream;
let segments: Buffer[];
const breaks = new Set<string>();
beforeAll(async () => {
  const files = await makeFiles();
  segments = await makeSegments(files.clip);
  source = await startScriptedStream({ libraries: 2, videos: 2, pageItems: 10, segments, breaks, ...files });
  service = await startImporter(null);
}, 300_000);
afterAll(async () => {
  await discard(service);
  await source.stop();
});

const isOver = ({ state }: Import) => ['finished', 'planned', 'failed'].includes(state);

async function create(name: string): Promise<Fields & { Id: number; PullZoneId: number }> {
  return await ask(service, 'POST', '/videolibrary', { Name: name });
}

async function run(target: number, sourceLibraryId: number, more: object = {}): Promise<Report & { at: string }> {
  const address = { apiUrl: source.url, coreUrl: source.url, cdnUrl: `${source.url}/cdn` };
  const body = { source: 'bunny', ...address, accountKey: SOURCE_ACCOUNT_KEY, sourceLibraryId, ...more };
  const { guid } = await ask<Import>(service, 'POST', `/library/${target}/imports`, body);
  const at = `/library/${target}/imports/${guid}`;
  return { ...((await untilImport(() => service, at, isOver)) as Report), at };
}

test('an import into an empty library carries settings, token key, host names and statistics by day', async () => {
  const { Id, PullZoneId } = await create('Marketing');
  const plan = await run(Id, 1, { dryRun: true });
  expect(plan.settings).toMatchObject({ state: 'planned', reason: null });
  expect(await ask(service, 'GET', `/videolibrary/${Id}`)).toMatchObject({
    PlayerKeyColor: expect.not.stringMatching('112233'),
  });

  await ask(service, 'POST', `${plan.at}/resume`);
  const report = (await untilImport(() => service, plan.at, isOver)) as Report;
  expect(report).toMatchObject({ state: 'finished', settings: { state: 'restored', reason: null } });
  expect(report.settings?.changes.map(({ field }) => field)).toEqual(plan.settings?.changes.map(({ field }) => field));
  expect(report.settings?.leftOut).toEqual([
    { field: 'library.PlaybackSpeeds', reason: expect.any(String) },
    { field: 'library.Name', reason: 'The library keeps its name.' },
  ]);
  expect(await ask(service, 'GET', `/videolibrary/${Id}`)).toMatchObject({
    Name: 'Marketing',
    PlayerKeyColor: '#112233',
    UILanguage: 'fr',
    EnableMP4Fallback: true,
    WebhookUrl: 'https://hooks.example.com/source',
  });
  const zone = await ask<Fields>(service, 'GET', `/pullzone/${PullZoneId}`);
  expect(zone).toMatchObject({
    ZoneSecurityEnabled: true,
    ZoneSecurityKey: 'source-zone-key',
    AllowedReferrers: ['*.example.com'],
    BlockedIps: ['192.0.2.1'],
  });
  expect(Object(zone.Hostnames).map(({ Value }: Fields) => Value)).toContain('films-7.example.com');
  expect(JSON.stringify(report)).not.toContain('source-zone-key');
  const { Items } = await ask<{ Items: Fields[] }>(service, 'GET', `/videolibrary/${Id}/audit`);
  const line = Items.find(({ Operation }) => Operation === 'restoreLibrarySettings');
  const changes = expect.arrayContaining([
    expect.objectContaining({ Field: 'PlayerKeyColor', New: '#112233' }),
    { Field: 'ZoneSecurityKey', Old: '***', New: '***' },
    { Field: 'Hostname', Old: null, New: 'films-7.example.com' },
  ]);
  expect(line).toMatchObject({ Key: 'import', Targets: { importId: report.guid }, Changes: changes });

  const [video] = source.videos(1);
  const query = `?videoGuid=${video?.guid}&dateFrom=2024-01-01&dateTo=2024-01-05`;
  const { viewsChart, watchTimeChart } = await ask<Fields>(service, 'GET', `/library/${Id}/statistics${query}`);
  expect(viewsChart).toMatchObject({
    '2024-01-01T00:00:00Z': 99,
    '2024-01-02T00:00:00Z': 0,
    '2024-01-03T00:00:00Z': 1,
  });
  expect(watchTimeChart).toMatchObject({ '2024-01-01T00:00:00Z': 999, '2024-01-03T00:00:00Z': 1 });
  const all = await ask<Fields>(service, 'GET', `/library/${Id}/statistics?dateFrom=2024-01-01&dateTo=2024-01-05`);
  expect(all.viewsChart).toMatchObject({ '2024-01-01T00:00:00Z': 99, '2024-01-02T00:00:00Z': 100 });
}, 300_000);

test('the HLS stream is imported if the source keeps neither the original nor MP4 files', async () => {
  const [video] = source.videos(2);
  Object.assign(video?.model ?? {}, { hasOriginal: false, hasMP4Fallback: false });
  source.fail(1, 503);
  breaks.add('360p/1.ts');
  const { Id } = await create('Streamed');
  const report = await run(Id, 2, { settings: false });
  const item = report.items.find(({ guid }) => guid === video?.guid);
  expect(item).toMatchObject({ state: 'imported', notes: [expect.stringContaining('HLS stream is used')] });
  const answer = await fetch(`${service.apiUrl}/library/${Id}/videos/${video?.guid}/original`, {
    headers: { AccessKey: ACCOUNT_KEY },
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.concat(segments))).toBe(true);
  const requests = (name: string) => source.seen.filter((path) => path.endsWith(`/360p/${name}.ts`)).length;
  expect([requests('0'), requests('1')]).toEqual([1, 2]);
}, 300_000);

test('an encrypted HLS stream is not imported, and its item states why', async () => {
  const [video] = source.videos(2);
  breaks.add('encrypted');
  const { Id } = await create('Protected');
  const report = await run(Id, 2, { settings: false, newGuids: true });
  const item = report.items.find(({ sourceId }) => sourceId === video?.guid);
  expect(item).toMatchObject({ state: 'failed', retryable: false, reason: expect.stringContaining('Turn off DRM') });
}, 300_000);

test('a library with content keeps its settings, unless the caller asks for those of the source', async () => {
  const { Id, PullZoneId } = await create('Kept');
  breaks.add('host names');
  await ask(service, 'POST', `/library/${Id}/collections`, { name: 'Here before' });
  const before = await ask<Fields>(service, 'GET', `/pullzone/${PullZoneId}`);
  const kept = await run(Id, 2);
  expect(kept.settings).toMatchObject({
    state: 'kept',
    changes: expect.arrayContaining([expect.objectContaining({ field: 'library.PlayerKeyColor' })]),
  });
  expect(await ask(service, 'GET', `/pullzone/${PullZoneId}`)).toEqual(before);
  expect((await run(Id, 2, { settings: false })).settings).toBeNull();

  const asked = await run(Id, 2, { settings: true });
  expect(asked.settings).toMatchObject({ state: 'restored' });
  // Another library of this service has the host name already.
  expect(asked.settings?.leftOut).toContainEqual({
    field: 'pullZone.Hostnames',
    reason: expect.stringContaining('films-7.example.com is already registered'),
  });
  const tooMany = { field: 'pullZone.Hostnames', reason: expect.stringContaining('at most 100, got 201') };
  expect(asked.settings?.leftOut).toContainEqual(tooMany);
  expect(await ask(service, 'GET', `/videolibrary/${Id}`)).toMatchObject({ Name: 'Kept', PlayerKeyColor: '#112233' });
}, 300_000);

test('an import from another Millrace has all settings, and those of its collections', async () => {
  const from = await create('Origin');
  const { guid: collectionId } = await ask<Fields>(service, 'POST', `/library/${from.Id}/collections`, {
    name: 'Shelf',
  });
  const feed = { access: 'public', title: 'A', description: 'B', author: 'C', language: 'de', category: 'Arts' };
  await ask(service, 'POST', `/library/${from.Id}/collections/${collectionId}/feed`, { ...feed, explicit: true });
  await ask(service, 'POST', `/videolibrary/${from.Id}`, { PlayerKeyColor: '#445566' });
  await ask(service, 'POST', `/videolibrary/${from.Id}/sound`, { NormaliseLoudness: true });
  await ask(service, 'PUT', `/library/${from.Id}/quotas`, { concurrentLiveStreams: { limit: 4, mode: 'hard' } });
  await ask(service, 'POST', `/library/${from.Id}/webhook-endpoints`, { url: 'https://hooks.example.com/x' });
  // An export leaves out a URL with a password, which older versions accepted. Viewer access is incomplete without it.
  const { db, close } = openCatalogue(service);
  const viewers = { mode: 'hook', url: 'https://user:secret@hooks.example.com/v' };
  await sql`update library set settings = settings || ${JSON.stringify({ viewers })}::jsonb where id = ${from.Id}
  `.execute(db);
  await close();
  const to = await create('Copy');
  const more = { source: 'millrace', apiUrl: service.apiUrl, coreUrl: null, cdnUrl: null, accountKey: ACCOUNT_KEY };
  const report = await run(to.Id, from.Id, more);
  expect(report).toMatchObject({ state: 'finished', counts: { imported: 1 }, settings: { state: 'restored' } });
  expect(report.settings?.changes.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['library.PlayerKeyColor', `feeds.${collectionId}`, 'pullZone.ZoneSecurityKey']),
  );
  const read = async ({ Id }: { Id: number }) => {
    const {
      library,
      viewers: _,
      notCarried,
      ...settings
    } = await ask<Fields>(service, 'GET', `/library/${Id}/settings`);
    return { ...settings, library: { ...Object(library), Name: null } };
  };
  expect(await read(to)).toEqual(await read(from));
  expect(report.settings?.leftOut).toContainEqual({ field: 'viewers', reason: expect.stringContaining('url') });
  const key = async ({ PullZoneId }: { PullZoneId: number }) =>
    (await ask<Fields>(service, 'GET', `/pullzone/${PullZoneId}`)).ZoneSecurityKey;
  expect(await key(to)).toBe(await key(from));

  // As if the import had stopped before it restored the feeds, and the owner had changed a setting since.
  const { db: later, close: closeLater } = openCatalogue(service);
  await sql`update library_import set state = 'cancelled', ended_at = now(),
    settings_report = settings_report || '{"isPostponed":true}' where library_id = ${to.Id}`.execute(later);
  await closeLater();
  await ask(service, 'POST', `/videolibrary/${to.Id}`, { PlayerKeyColor: '#abcdef' });
  await ask(service, 'POST', `/library/${to.Id}/collections/${collectionId}/feed`, { title: 'Other' });
  await ask(service, 'POST', `${report.at}/resume`);
  await untilImport(() => service, report.at, isOver);
  expect(await ask(service, 'GET', `/library/${to.Id}/settings`)).toMatchObject({
    library: { PlayerKeyColor: '#abcdef' },
    feeds: [{ title: 'A' }],
  });
}, 300_000);
