import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readLibrarySettings, readPullZoneSettings } from '../../src/catalog/libraries/library-settings.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { type Fields, millrace } from './export-fixture.ts';
import { ask, makeFiles, startImporter } from './import-fixture.ts';
import { SETTINGS, ZONE } from './settings-sample.ts';

const IMAGES = ['watermark', 'live/watermark', 'live/thumbnail', 'logo'];
const SECRET = /secret|token_sealed/;
/** Settings of the service itself: versions of images and secrets, and places. */
const OWN = ['secretVersion', 'version', 'replicationRegions'];

let source: Service;
let target: Service;
let folder: string;
let collectionId: string;
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-settings-'));
  vi.stubEnv('HOME', folder);
  const { image } = await makeFiles();
  [source, target] = await Promise.all([startImporter(null), startImporter(null)]);
  const { db, close } = openCatalogue(source);
  await sql`update library set name = 'Filme "A"', settings = ${JSON.stringify(SETTINGS)} where id = 1`.execute(db);
  await sql`update pull_zone set settings = ${JSON.stringify(ZONE)} where library_id = 1`.execute(db);
  await close();
  for (const name of IMAGES) await putImage(source, name, image);
  await ask(source, 'PUT', '/library/1/quotas', {
    storageBytes: { limit: 1e12, mode: 'hard' },
    concurrentViewers: { limit: 900, mode: 'soft' },
  });
  for (const url of ['https://hooks.example.com/a', 'https://hooks.example.com/b']) {
    const fields = { url, name: url.slice(-1), events: [3, 4], enabled: url.endsWith('a') };
    await ask(source, 'POST', '/library/1/webhook-endpoints', fields);
  }
  const { guid } = await ask<Fields>(source, 'POST', '/library/1/collections', { name: 'Shelf' });
  collectionId = String(guid);
  const feed = { access: 'token', title: 'A', description: 'B', author: 'C', language: 'de', category: 'Arts' };
  await ask(source, 'POST', `/library/1/collections/${collectionId}/feed`, { ...feed, explicit: true });
  await ask(source, 'POST', '/library/1/videos', { title: 'Never uploaded', collectionId });
}, 300_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const service of [source, target]) if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function putImage(service: Service, name: string, image: Buffer): Promise<void> {
  const { status } = await fetch(`${service.apiUrl}/videolibrary/1/${name}`, {
    method: 'PUT',
    headers: { AccessKey: ACCOUNT_KEY },
    body: new Uint8Array(image),
  });
  expect(status).toBe(204);
}

/** Returns a value without the settings of the service itself. */
function portable(value: unknown, inPlayer = false): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([name]) => inPlayer || !OWN.includes(name) || name === '');
  // The version of the player is a setting, unlike those of images.
  return Object.fromEntries(kept.map(([name, one]) => [name, portable(one, name === 'player' || name === 'drm')]));
}

/** Returns everything about a library in the database that an export carries. */
async function stored(service: Service): Promise<unknown> {
  const { db, close } = openCatalogue(service);
  const rows = async (query: ReturnType<typeof sql<Fields>>) => (await query.execute(db)).rows;
  const [library, zone, quotas, webhooks, feeds] = await Promise.all([
    rows(sql`select name, settings from library where id = 1`),
    rows(sql`select settings from pull_zone where library_id = 1`),
    rows(sql`select resource, max_amount, mode from library_quota where library_id = 1 order by 1`),
    rows(sql`select name, url, events, is_enabled from webhook_endpoint where library_id = 1 order by url`),
    rows(sql`select collection_id, access, title, description, author, language, category, is_explicit,
      token_sealed is not null as has_token from collection_feed where library_id = 1`),
  ]);
  await close();
  return {
    name: library[0]?.name,
    settings: portable(readLibrarySettings(library[0]?.settings)),
    zone: readPullZoneSettings(zone[0]?.settings),
    ...{ quotas, webhooks, feeds },
  };
}

/** Returns the names of the stored images of the library. */
async function imagesOf({ dataDir }: Service): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true });
  return names.filter((name) => /\/1\/(watermark|logo|live-watermark|live-thumbnail)\/\d+$/.test(name)).toSorted();
}

const settingsOf = (service: Service) => ask<Fields>(service, 'GET', '/library/1/settings');

/** Asserts that no setting has its default, so that the comparison covers each of them. */
function expectNoDefaults(value: unknown, usual: unknown, name: string): void {
  const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value);
  if (isLeaf) expect([name, value]).not.toEqual([name, usual]);
  else for (const [key, inner] of Object.entries(value)) expectNoDefaults(inner, Object(usual)[key], `${name}.${key}`);
}

test('an import into an empty library restores every setting, and a dry run lists them', async () => {
  expectNoDefaults(SETTINGS, readLibrarySettings({}), 'settings');
  expectNoDefaults(ZONE, readPullZoneSettings({}), 'zone');
  expect(await millrace(source, 'export', at('out'))).toMatchObject({ code: 0 });
  const text = await readFile(at('out/library.json'), 'utf8');
  const { ApiKey, ReadOnlyApiKey } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  expect(text).not.toMatch(new RegExp(`${String(ApiKey)}|${String(ReadOnlyApiKey)}|whsec`));
  expect(JSON.parse(text).notCarried).toContainEqual({ field: 'pullZone.Hostnames', reason: expect.any(String) });

  const printed = await millrace(source, 'settings', 'get');
  expect(Object(JSON.parse(printed.text)).library).toEqual(JSON.parse(text).library);

  const before = await stored(target);
  const { name } = Object(before);
  const dry = await millrace(target, 'import', 'folder', at('out'), 'dryRun=true');
  expect(dry).toMatchObject({ code: 0, text: expect.stringMatching(/^setting\tlibrary\.PlayerKeyColor\t.+123456/m) });
  expect(dry.text).toMatch(/^\d\d+ settings would be restored$/m);
  expect(await stored(target)).toEqual(before);

  const ran = await millrace(target, 'import', 'folder', at('out'));
  expect(ran).toMatchObject({ code: 0, text: expect.stringMatching(/^\d\d+ settings restored$/m) });
  expect(ran.text).toMatch(new RegExp(`^setting\\tfeeds\\.${collectionId}\\tnone\\ttoken$`, 'm'));
  const after = await stored(target);
  // A library that somebody imports into keeps its name.
  expect(ran.text).toContain('skipped\tlibrary.Name\tThe library keeps its name.\n');
  expect(after).toEqual({ ...Object(await stored(source)), name });
  expect(JSON.stringify(after)).not.toMatch(SECRET);
  const [one, other] = [await settingsOf(source), await settingsOf(target)];
  expect(Object(other.images).logo).toBe(Object(one.images).logo);
  expect(Object(other.images).watermark).toBe(Object(one.images).watermark);
  expect(Object(other.images).liveThumbnail).toMatch(/^data:image\/jpeg;base64,/);
  expect(Object(await ask<Fields>(target, 'GET', '/library/1/viewers')).secret).toEqual(expect.any(String));

  const again = await ask<Fields>(target, 'POST', '/library/1/settings', { ...one, notCarried: [] });
  expect(again.changes).toMatchObject([{ field: 'library.Name' }]);
  expect(await stored(target)).toEqual(await stored(source));
}, 300_000);

test('a URL with a password stays with its service, and the file names it', async () => {
  const url = 'https://user:hidden@hooks.example.com/c';
  await ask(source, 'POST', '/videolibrary/1', { WebhookUrl: url });
  const { guid } = await ask<Fields>(source, 'POST', '/library/1/webhook-endpoints', { url });
  const settings = await settingsOf(source);
  expect(JSON.stringify(settings)).not.toContain('hidden');
  const fields = Object(settings.notCarried).map(({ field }: Fields) => field);
  expect(fields).toEqual(expect.arrayContaining(['library.WebhookUrl', 'webhooks.url']));
  expect(settings.webhooks).toHaveLength(2);
  const restored = await ask<Fields>(source, 'POST', '/library/1/settings', settings);
  expect(restored.changes).toEqual([]);
  expect(await ask(source, 'GET', '/videolibrary/1')).toMatchObject({ WebhookUrl: url });
  await ask(source, 'POST', '/videolibrary/1', { WebhookUrl: SETTINGS.webhookUrl });
  await ask(source, 'DELETE', `/library/1/webhook-endpoints/${String(guid)}`);
}, 60_000);

test('a library with content keeps its settings without --settings', async () => {
  await ask(target, 'POST', '/videolibrary/1', { PlayerKeyColor: '#abcdef', WebhookUrl: '' });
  const kept = await millrace(target, 'import', 'folder', at('out'));
  expect(kept.text).toMatch(/The export has \d+ other settings\. Restore them with --settings/);
  expect(await ask(target, 'GET', '/videolibrary/1')).toMatchObject({ PlayerKeyColor: '#abcdef' });
  const ran = await millrace(target, 'import', 'folder', at('out'), '--settings');
  expect(ran.text).toContain('setting\tlibrary.PlayerKeyColor\t"#abcdef"\t"#123456"\n');
  expect(await stored(target)).toEqual(await stored(source));
}, 120_000);

test('null in the file removes a setting, and an absent section changes nothing', async () => {
  const restore = (body: object) => ask<Fields>(target, 'POST', '/library/1/settings', { version: 1, ...body });
  const { changes } = await restore({
    library: { VastTagUrl: null, CustomHTML: null, PlayerKeyColor: null },
    sound: { LoudnessTarget: null },
    pullZone: { BlockedIps: null },
    firewall: { wafEnabled: null },
    viewers: { videoClaim: '' },
    quotas: { storageBytes: null },
    images: { logo: null },
  });
  expect(Object(changes).map(({ field }: Fields) => field)).toEqual(
    expect.arrayContaining([
      'library.VastTagUrl',
      'library.CustomHTML',
      'quotas.storageBytes',
      'images.logo',
      'viewers.videoClaim',
    ]),
  );
  expect(Object(changes)).toHaveLength(5);
  const now = await settingsOf(target);
  expect(now).toMatchObject({ images: { logo: null }, quotas: { storageBytes: null }, viewers: { videoClaim: null } });
  expect(Object(now.library).VastTagUrl ?? '').toBe('');
  expect(Object(now.library).PlayerKeyColor).toBe('#123456');
}, 60_000);

test('a restore that fails at its last step changes nothing', async () => {
  const before = await stored(target);
  const images = await imagesOf(target);
  const { db, close } = openCatalogue(target);
  onTestFinished(async () => {
    await sql`drop trigger if exists refuse on collection_feed`.execute(db);
    await close();
  });
  await sql`create or replace function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'no feed'; end $$`.execute(db);
  await sql`create trigger refuse before insert or update on collection_feed for each row execute function refuse()
  `.execute(db);
  const { feeds = [], images: pictures, ...settings } = await settingsOf(target);
  const [feed] = Object(feeds);
  const body = {
    ...settings,
    library: { PlayerKeyColor: '#fedcba' },
    pullZone: { BlockedCountries: ['IO'] },
    viewers: { cacheSec: 61 },
    quotas: { concurrentLiveStreams: { limit: 3, mode: 'hard' } },
    webhooks: [{ url: 'https://hooks.example.com/new' }],
    images: { ...Object(pictures), logo: Object(await settingsOf(source)).images.watermark, watermark: null },
    feeds: [{ ...feed, title: 'Another' }],
  };
  const restore = () =>
    fetch(`${target.apiUrl}/library/1/settings`, {
      method: 'POST',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await restore()).status).toBe(500);
  expect(await stored(target)).toEqual(before);
  expect(await imagesOf(target)).toEqual(images);
  await sql`drop trigger refuse on collection_feed`.execute(db);
  expect((await restore()).status).toBe(200);
  expect(await stored(target)).toMatchObject({
    settings: { viewers: { cacheSec: 61 } },
    feeds: [{ title: 'Another' }],
  });
}, 60_000);

test('refuses values that an update refuses, and changes nothing', async () => {
  const before = await stored(target);
  // The library has two endpoints already.
  const urls = Array.from({ length: 9 }, (_, number) => `https://hooks.example.com/${number}`);
  const refused = async (body: object, query = '') => {
    const response = await fetch(`${target.apiUrl}/library/1/settings${query}`, {
      method: 'POST',
      headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ version: 1, library: { PlayerKeyColor: '#000000' }, ...body }),
    });
    return [response.status, await response.text()];
  };
  for (const query of ['', '?dryRun=true']) {
    for (const [body, word] of [
      [{ pullZone: { BlockedIps: ['nowhere'] } }, 'BlockedIps'],
      [{ viewers: { jwksUrl: 'file:///etc' } }, 'jwksUrl'],
      [{ viewers: { url: 'https://user:pass@' } }, 'url'],
      [{ viewers: { mode: 'hook', url: null } }, 'url'],
      [{ viewers: { mode: 'maybe' } }, 'mode'],
      [{ viewers: { cacheSec: -1 } }, 'cacheSec'],
      [{ viewers: { cacheSec: 1e9 } }, 'cacheSec'],
      [{ viewers: { issuer: 'x'.repeat(10_000) } }, 'issuer'],
      [{ quotas: { storageBytes: { limit: -1, mode: 'hard' } } }, 'storageBytes'],
      [{ webhooks: [{ url: 'ftp://a' }] }, 'url'],
      [{ webhooks: urls.map((url) => ({ url })) }, 'webhooks'],
      [{ library: { ResetToken: true } }, 'ResetToken'],
      [{ images: { logo: 'https://example.com/logo.png' } }, 'images.logo'],
      [{ version: 2 }, 'version'],
      [{ keys: {} }, 'keys'],
    ] as const) {
      expect([word, ...(await refused(body, query))]).toEqual([word, 400, expect.stringContaining(word)]);
    }
  }
  expect(await stored(target)).toEqual(before);
  await writeFile(at('library.json'), '{"version": 2}');
  expect(await millrace(target, 'import', 'folder', folder, '--settings')).toMatchObject({ code: 2 });
}, 60_000);
