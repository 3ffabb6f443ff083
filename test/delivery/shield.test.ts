import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { createShieldSettingsStore } from '../../src/catalog/shield/shield-settings-store.ts';
import type { EdgeDeps } from '../../src/delivery/edge-deps.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { createGrowingFixture, type GrowingFixture } from './growing-video.ts';
import type { RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

let videos: GrowingFixture;
let key: RenditionKey;
let zoneId: number;
let securityKey: string;

beforeAll(async () => {
  videos = await createGrowingFixture();
  key = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(key, segment);
  const { db } = videos.database;
  const zones = db.selectFrom('pull_zone').where('library_id', '=', videos.libraryId);
  const zone = await zones.select(['id', 'security_key_sealed']).executeTakeFirstOrThrow();
  zoneId = zone.id;
  securityKey = createSecretBox(TEST_SECRET).open(zone.security_key_sealed);
});
afterEach(async () => {
  await setZone({});
  await setAccess({});
  await videos.closeEdges();
});
afterAll(() => videos.close());

async function setZone(settings: object): Promise<void> {
  const values = { settings: JSON.stringify(settings) };
  await videos.database.db.updateTable('pull_zone').set(values).where('id', '=', zoneId).execute();
}

async function setAccess(access: object): Promise<void> {
  const values = { settings: JSON.stringify({ access }) };
  await videos.database.db.updateTable('library').set(values).where('id', '=', videos.libraryId).execute();
}

/** Signs a folder like an owner's server, with one path token for the video's folder. */
function signed(expiresSec = Date.now() / 1000 + 600): string {
  return signFolder({
    key: securityKey,
    folder: `/${key.mediaId}/`,
    expiresSec: Math.round(expiresSec),
    address: null,
  });
}

const pathOf = (file: string, token = '') =>
  `/vz-${videos.libraryId}/${token === '' ? '' : `${token}/`}${key.mediaId}/${file}`;
const segmentPath = (token = '') => pathOf(`r/${key.renditionId}/0.m4s`, token);

async function ask(edge: TestEdge, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${edge.base}${path}`, { headers });
  const text = await response.text();
  const { status } = response;
  return { status, text, rule: response.headers.get('x-millrace-rule'), cache: response.headers.get('cache-control') };
}

/** Returns all events of a zone, oldest first, once `count` of them are stored. */
async function eventsOf(zone: number, count: number) {
  const store = createShieldEventStore(videos.database.db);
  const ref = { zoneId: zone, day: dayOf(Date.now()), afterSeq: 0 };
  await expect.poll(async () => (await store.read(ref, 1_000)).length).toBeGreaterThanOrEqual(count);
  return store.read(ref, 1_000);
}

describe('a zone that requires tokens', () => {
  test('a zone that requires tokens accepts them in the query and the path within 2 s of the change', async () => {
    const edge = await videos.open();
    expect(await ask(edge, segmentPath())).toMatchObject({ status: 200, cache: 'public, max-age=31536000, immutable' });
    await setZone({ tokenRequired: true });
    await expect.poll(() => ask(edge, segmentPath()), { timeout: 2_000 }).toMatchObject({ status: 403, rule: '10100' });
    const privately = { status: 200, cache: 'private, max-age=31536000, immutable' };
    for (let time = 0; time < 2; time += 1) expect(await ask(edge, segmentPath(signed()))).toMatchObject(privately);
    expect(await ask(edge, `/${signed()}${segmentPath()}`)).toMatchObject(privately);
    expect(await ask(edge, segmentPath(signed(1)))).toMatchObject({ status: 403, rule: '10102' });
    const token = `token=${signed().slice('bcdn_token='.length)}`;
    const playlist = await ask(edge, `${pathOf('playlist.m3u8')}?${token}`);
    expect(playlist).toMatchObject({ status: 200, cache: expect.stringMatching(/^(private|no-)/) });
    const media = playlist.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(media.map((line) => line.endsWith(`?${token}`))).toEqual(media.map(() => true));
    expect(await ask(edge, `/vz-${videos.libraryId}/${key.mediaId}/${media[0]}`)).toMatchObject({ status: 200 });
  });

  test('the player page gets signed URLs for the video, separate from its embed token', async () => {
    await setZone({ tokenRequired: true });
    await setAccess({ playerTokenRequired: true });
    const edge = await videos.open();
    const page = `/embed/${videos.libraryId}/${key.mediaId}/state`;
    expect(await ask(edge, page)).toMatchObject({ status: 403, rule: '10131' });
    const expires = Math.round(Date.now() / 1000) + 600;
    const hash = createHash('sha256').update(`${securityKey}${key.mediaId}${expires}`).digest('hex');
    const { status, text } = await ask(edge, `${page}?token=${hash}&expires=${expires}`);
    expect(status).toBe(200);
    const { playlistUrl }: { playlistUrl: string } = JSON.parse(text).source;
    expect(playlistUrl).toContain('/bcdn_token=HS256-');
    expect(await ask(edge, playlistUrl)).toMatchObject({ status: 200 });
  });

  test('rejects the old key after a reset, and accepts it during an overlap', async () => {
    await setZone({ tokenRequired: true });
    const edge = await videos.open();
    const path = segmentPath(signed());
    expect(await ask(edge, path)).toMatchObject({ status: 200 });
    const { db } = videos.database;
    const before = await db
      .selectFrom('pull_zone')
      .select('security_key_sealed')
      .where('id', '=', zoneId)
      .executeTakeFirstOrThrow();
    const zone = () => db.updateTable('pull_zone').where('id', '=', zoneId);
    const other = await db
      .selectFrom('library')
      .select('api_key_sealed')
      .where('id', '=', videos.libraryId)
      .executeTakeFirstOrThrow();
    await zone().set({ security_key_sealed: other.api_key_sealed }).execute();
    await expect.poll(() => ask(edge, path), { timeout: 2_000 }).toMatchObject({ status: 403, rule: '10101' });
    await zone()
      .set({ previous_key_sealed: before.security_key_sealed, previous_key_until: new Date(Date.now() + 60_000) })
      .execute();
    await expect.poll(() => ask(edge, path), { timeout: 2_000 }).toMatchObject({ status: 200 });
    await zone()
      .set({ ...before, previous_key_sealed: null, previous_key_until: null })
      .execute();
  });
});

describe('refusals that name their rule', () => {
  const blockedCountry: Partial<EdgeDeps> = { locator: { locate: () => ({ country: 'XX', asn: '64500' }) } };

  test.each<[string, object, object, Partial<EdgeDeps>, number, string]>([
    ['a blocked address', { blockedAddresses: ['127.0.0.0/8'] }, {}, {}, 403, '10160'],
    ['a blocked country', { blockedCountries: ['XX'] }, {}, blockedCountry, 403, '10120'],
    ['a foreign page', {}, { allowedReferrers: ['owner.test'] }, {}, 403, '10130'],
    ['too many requests', { requestsPerSec: 1 }, {}, {}, 429, '10140'],
  ])('refuses %s under its rule', async (_, zone, access, change, status, rule) => {
    await setZone(zone);
    await setAccess(access);
    const edge = await videos.open(change);
    const headers = { referer: 'https://other.test/page' };
    await ask(edge, segmentPath(), headers);
    expect(await ask(edge, segmentPath(), headers)).toMatchObject({ status, rule });
    await expect.poll(async () => (await eventsOf(zoneId, 1)).map(({ ruleId }) => ruleId)).toContain(rule);
  });

  test('reads a client address from a header only behind a trusted proxy', async () => {
    await setZone({ blockedAddresses: ['192.0.2.7'] });
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    expect(await ask(await videos.open(), segmentPath(), headers)).toMatchObject({ status: 200 });
    const behind = await videos.open({ trustedProxies: ['127.0.0.1'] });
    expect(await ask(behind, segmentPath(), headers)).toMatchObject({ status: 403, rule: '10160' });
    expect(await ask(behind, segmentPath(), { 'x-forwarded-for': '192.0.2.7, 192.0.2.8' })).toMatchObject({
      status: 200,
    });
  });
});

test('logs each refused request, even an unparsable one, as one event with all labels and no secret', async () => {
  const { db } = videos.database;
  await db.deleteFrom('shield_event').execute();
  await setZone({ tokenRequired: true });
  const edge = await videos.open({ locator: { locate: () => ({ country: 'DE', asn: '64500' }) } });
  const secret = signed(1);
  await ask(edge, segmentPath(secret), { cookie: 'session=secret', accesskey: 'secret', 'user-agent': 'a player' });
  const raw = async (text: string) => {
    const socket = connect(edge.port, '127.0.0.1').on('error', () => undefined);
    socket.end(text).resume();
    await once(socket, 'close');
  };
  await raw('no http at all\r\n\r\n');
  await raw(`GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await raw('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
  await raw('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  const [event, ...more] = await eventsOf(zoneId, 1);
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    ruleId: '10102',
    ruleGroup: 'TOKEN',
    status: 'Blocked',
    method: 'GET',
    country: 'DE',
    asn: '64500',
    serverZone: 'TEST',
  });
  const log = JSON.parse(event?.log ?? '');
  expect(log).toMatchObject({ RemoteIp: '127.0.0.*', Message: 'Token expired', Rules: [] });
  expect(log.Url).toContain('bcdn_token=***');
  expect(log.Headers).toContainEqual({ Name: 'user-agent', Value: 'a player' });
  expect(event?.log).not.toMatch(/secret|HS256/);
  expect((await eventsOf(0, 4)).map(({ ruleId }) => ruleId)).toEqual(['10180', '10181', '10183', '10184']);
});

describe('delivery settings of a zone', () => {
  test('a zone limits the download rate per zone or token, after the first bytes', async () => {
    await setZone({ rateKBps: 600, rateAfterKB: 1 });
    const edge = await videos.open();
    const timed = async (headers: Record<string, string> = {}) => {
      const startMs = performance.now();
      const bytes = (await (await fetch(`${edge.base}${segmentPath()}`, { headers })).arrayBuffer()).byteLength;
      return { bytes, ms: performance.now() - startMs };
    };
    const whole = await timed();
    // Everything after the first kilobyte is throttled, except the last piece of a quarter of a second.
    expect(whole.ms).toBeGreaterThan(((whole.bytes - 1_000) / 600_000) * 1_000 - 260);
    expect(whole.bytes).toBeGreaterThan(10_000);
    expect(await timed({ range: 'bytes=10-19' })).toMatchObject({ bytes: 10 });
  });

  test('a zone adds its headers for pages of other origins, and caches refusals if configured', async () => {
    await setZone({ originExtensions: ['m3u8'], cachesErrors: true, staleWhileOffline: false });
    const edge = await videos.open();
    const headersOf = async (path: string) => (await fetch(`${edge.base}${path}`)).headers;
    for (let time = 0; time < 2; time += 1)
      expect((await headersOf(segmentPath())).get('access-control-allow-origin')).toBeNull();
    const playlist = await headersOf(pathOf('playlist.m3u8'));
    expect(playlist.get('access-control-allow-origin')).toBe('*');
    expect(playlist.get('cache-control')).not.toContain('stale');
    expect((await headersOf(pathOf('nothing.jpg'))).get('cache-control')).toBe('public, max-age=5');
    await setZone({});
    await expect
      .poll(async () => (await headersOf(segmentPath())).get('access-control-allow-origin'), { timeout: 2_000 })
      .toBe('*');
  });
});

describe('the firewall', () => {
  const setWaf = (change: object) =>
    createShieldSettingsStore(videos.database.db).changeUnzoned(() => ({ ...readWafSettings({}), ...change }));
  const lastOf = async (zone: number) => (await eventsOf(zone, 1)).at(-1);
  afterEach(() => setWaf({}));

  test('the firewall logs attacks on unknown paths, blocks them within 2 s, and ignores players', async () => {
    await videos.database.db.deleteFrom('shield_event').execute();
    const edge = await videos.open({ locator: { locate: () => ({ country: 'DE', asn: '64500' }) } });
    expect(await ask(edge, '/.env', { cookie: 'session=secret' })).toMatchObject({ status: 404, rule: null });
    await expect
      .poll(() => lastOf(0))
      .toMatchObject({
        ruleId: '930130',
        ruleGroup: 'ATTACK-LFI',
        status: 'Logged',
        severity: 'CRITICAL',
        country: 'DE',
      });
    const { log = '' } = (await lastOf(0)) ?? {};
    expect(JSON.parse(log)).toMatchObject({ TriggerMatch: { Key: 'PMF', Value: '/.env' }, Url: '/.env' });
    expect(log).not.toContain('secret');
    await setWaf({ blocks: true });
    await expect.poll(() => ask(edge, '/.env'), { timeout: 2_000 }).toMatchObject({ status: 403, rule: '930130' });
    const found = (await eventsOf(0, 1)).length;
    const range = { range: 'bytes=0-1,4-5', 'user-agent': 'Mozilla/5.0 AppleWebKit/537.36' };
    expect((await ask(edge, `${segmentPath()}?x=<script>`, range)).status).not.toBe(403);
    for (const path of [segmentPath(), pathOf('playlist.m3u8?CMCD=bl%3D1%2Csid%3D%22a%22'), '/robots.txt']) {
      expect((await ask(edge, path, { 'user-agent': 'Mozilla/5.0 AppleWebKit/537.36' })).rule).toBeNull();
    }
    const urls = (await eventsOf(0, found)).map(({ log = '{}' }) => JSON.parse(log).Url);
    expect(new Set(urls)).toEqual(new Set(['/.env']));
  });

  test('the firewall obeys the settings of its zone', async () => {
    await setZone({ waf: { blocks: true, disabledRules: ['941110', '941160'] } });
    const edge = await videos.open();
    const attack = (query: string) => ask(edge, pathOf(`playlist.m3u8?x=${encodeURIComponent(query)}`));
    expect(await attack('1 union select a,b from users')).toMatchObject({
      status: 403,
      rule: expect.stringMatching(/^942/),
    });
    expect(await attack('<script>')).toMatchObject({ status: 200 });
  });
});
