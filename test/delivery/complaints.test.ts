import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { createShieldSettingsStore } from '../../src/catalog/shield/shield-settings-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { createGrowingFixture, type GrowingFixture } from './growing-video.ts';
import type { RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

// Complaints about other systems, one test each. Related tests: `test/deploy/nginx.test.ts` covers a proxy cache that
// serves private files without a check, `test/api/pull-zone-rules.test.ts` the shared rules of library and zone,
// `test/e2e/clients.test.ts` uploads that other firewalls block.
const HOUR_MS = 3_600_000;
let videos: GrowingFixture;
let key: RenditionKey;
let securityKey: string;

beforeAll(async () => {
  videos = await createGrowingFixture();
  key = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(key, segment);
  const zone = videos.database.db.selectFrom('pull_zone').where('library_id', '=', videos.libraryId);
  const { security_key_sealed: sealed } = await zone.select('security_key_sealed').executeTakeFirstOrThrow();
  securityKey = createSecretBox(TEST_SECRET).open(sealed);
});
afterEach(() => videos.closeEdges());
afterAll(() => videos.close());

/** Opens an edge with these zone settings and these library rules. */
async function openWith(settings: object, access: object = {}): Promise<TestEdge> {
  const { db } = videos.database;
  const [zone, library] = [settings, { access }].map((value) => JSON.stringify(value));
  await db
    .updateTable('pull_zone')
    .set({ settings: zone ?? '' })
    .where('library_id', '=', videos.libraryId)
    .execute();
  await db
    .updateTable('library')
    .set({ settings: library ?? '' })
    .where('id', '=', videos.libraryId)
    .execute();
  return videos.open({ trustedProxies: ['127.0.0.1'] });
}

const tokenFor = (address: string | null, expiresSec = Math.round(Date.now() / 1000) + 600) =>
  signFolder({ key: securityKey, folder: `/${key.mediaId}/`, expiresSec, address });
const zonePath = () => `/vz-${videos.libraryId}`;
const segmentPath = (token = '') =>
  `${zonePath()}/${token === '' ? '' : `${token}/`}${key.mediaId}/r/${key.renditionId}/0.m4s`;

async function ask(edge: TestEdge, path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${edge.base}${path}`, { headers });
  await response.arrayBuffer();
  return `${response.status} ${response.headers.get('x-millrace-rule') ?? ''}`.trim();
}

test('accepts segments by the token in the query of the playlist that lists them', async () => {
  const edge = await openWith({ tokenRequired: true });
  const query = `?token=${tokenFor(null).slice('bcdn_token='.length)}`;
  const read = async (address: string) => {
    const text = await (await fetch(address)).text();
    const names = text
      .split('\n')
      .flatMap((line) => /URI="([^"]+)"/.exec(line)?.[1] ?? (/^[^#\s]/.test(line) ? line : []));
    return names.map((name) => new URL(name, address).href);
  };
  const lists = await read(`${edge.base}${zonePath()}/${key.mediaId}/playlist.m3u8${query}`);
  const files = (await Promise.all(lists.filter((address) => address.includes('.m3u8')).map(read))).flat();
  expect(files.length).toBeGreaterThan(3);
  for (const address of [...lists, ...files]) expect((await fetch(address)).status).toBe(200);
});

test('the token of a player page remains valid after a pause of hours', async () => {
  const edge = await openWith({ tokenRequired: true });
  const state = await (await fetch(`${edge.base}/embed/${videos.libraryId}/${key.mediaId}/state`)).json();
  const { playlistUrl } = Object(Object(state).source);
  const expiresSec = Number(/expires=(\d+)/.exec(playlistUrl)?.[1]);
  // The video is 20 s long.
  expect(expiresSec * 1000).toBeGreaterThanOrEqual(Date.now() + 6 * HOUR_MS);
});

test('viewers on IPv6 can use address tokens from their whole network', async () => {
  const edge = await openWith({ tokenRequired: true, tokenHoldsAddress: true });
  const path = segmentPath(tokenFor('2001:db8:1:2::5'));
  const from = (address: string) => ask(edge, path, { 'x-forwarded-for': address });
  expect([
    await from('2001:db8:1:2::5'),
    await from('2001:db8:1:2:aaaa::9'),
    await from('2001:db8:1:3::5'),
    await from('192.0.2.7'),
  ]).toEqual(['200', '200', '403 10101', '403 10101']);
});

test('allows pages without a referrer, applications and the player frame unless the owner forbids it', async () => {
  const own = { referer: 'http://127.0.0.1/embed/1/x' };
  const application = { 'user-agent': 'okhttp/4.12.0' };
  const open = await openWith({}, { allowedReferrers: ['owner.test'] });
  const answers = (edge: TestEdge) =>
    Promise.all([{}, application, own].map((headers) => ask(edge, segmentPath(), headers)));
  expect(await answers(open)).toEqual(['200', '200', '200']);
  const closed = await openWith({}, { allowedReferrers: ['owner.test'], blockNoneReferrer: true });
  expect(await answers(closed)).toEqual(['403 10130', '403 10130', '200']);
});

test('the blocking firewall accepts every form of range and unknown body types', async () => {
  const { db } = videos.database;
  // Deletes the events of earlier cases.
  await db.deleteFrom('shield_event').execute();
  await createShieldSettingsStore(db).changeUnzoned(() => ({ ...readWafSettings({}), blocks: true }));
  const edge = await openWith({ waf: { blocks: true } });
  for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-5', 'bytes=0-1,3-4,6-7,9-10,12-13,15-16', 'bytes=5-3'])
    expect(await ask(edge, segmentPath(), { range })).toMatch(/^(200|206|416)$/);
  const body = new Uint8Array(100);
  const types = ['application/octet-stream', 'application/offset+octet-stream', 'video/quicktime', ''];
  for (const method of ['POST', 'PATCH']) {
    for (const type of types) {
      const headers = { 'content-type': type };
      const { status } = await fetch(`${edge.base}${segmentPath()}`, { method, headers, body });
      expect([method, type, status]).toEqual([method, type, 405]);
    }
  }
  await videos.closeEdges();
  const store = createShieldEventStore(db);
  const zones = db.selectFrom('pull_zone').select('id').where('library_id', '=', videos.libraryId);
  const { id } = await zones.executeTakeFirstOrThrow();
  const read = (zoneId: number) => store.read({ zoneId, day: dayOf(Date.now()), afterSeq: 0 }, 10);
  expect((await Promise.all([0, id].map(read))).flat()).toEqual([]);
});

test('accepts a rate-limited client again after its Retry-After', async () => {
  const edge = await openWith({ requestsPerSec: 1 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${edge.base}${segmentPath()}`)));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused).toBeDefined();
  await new Promise((resolve) => setTimeout(resolve, Number(refused?.headers.get('retry-after')) * 1_000));
  expect(await ask(edge, segmentPath())).toBe('200');
});

test('limits the rate per valid token behind one shared address, such as that of a school', async () => {
  const edge = await openWith({ tokenRequired: true, requestsPerSec: 1 });
  const pupils = Array.from({ length: 20 }, (_, pupil) => segmentPath(tokenFor(null, 4_000_000_000 + pupil)));
  const answers = await Promise.all(pupils.map((path) => ask(edge, path, { 'x-forwarded-for': '192.0.2.7' })));
  expect(new Set(answers)).toEqual(new Set(['200']));
});

test('a key reset invalidates embed tokens and address tokens together', async () => {
  const edge = await openWith({ tokenRequired: true }, { playerTokenRequired: true });
  const expires = Math.round(Date.now() / 1000) + 600;
  const hash = createHash('sha256').update(`${securityKey}${key.mediaId}${expires}`).digest('hex');
  const page = `/embed/${videos.libraryId}/${key.mediaId}/state?token=${hash}&expires=${expires}`;
  const both = async () => [await ask(edge, page), await ask(edge, segmentPath(tokenFor(null)))];
  expect(await both()).toEqual(['200', '200']);
  const sealed = createSecretBox(TEST_SECRET).seal('another key');
  const zone = videos.database.db.updateTable('pull_zone').where('library_id', '=', videos.libraryId);
  await zone.set({ security_key_sealed: sealed }).execute();
  // From here on, `securityKey` is the previous key.
  await expect.poll(both, { timeout: 10_000 }).toEqual(['403 10131', '403 10101']);
});
