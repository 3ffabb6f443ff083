import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSpekeKeySource } from '../../src/adapters/drm-key-source/speke-key-source.ts';
import { createLicenceProxy } from '../../src/adapters/licence-proxy/licence-proxy.ts';
import { addLicences } from '../../src/catalog/drm/licence-count-store.ts';
import { createLicenceCounter } from '../../src/catalog/drm/licence-counter.ts';
import { createPackager, type Packager } from '../../src/catalog/drm/packager.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { parseCpixAnswer, writeCpixRequest } from '../../src/media/drm/keys/cpix.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { answerKeys, type KeyServer, startKeyServer } from '../support/key-server.ts';
import { TEST_SECRET } from '../support/packager.ts';

const ALL_ON = {
  drm: { enabled: true, version: 'enterprise', widevine: { enabled: true }, fairPlay: { enabled: true } },
};
const CERTIFICATE = Buffer.from('a certificate');

let api: TestApi;
let keyServer: KeyServer;
let licences: { server: Server; seen: { path: string; body: string; authorization: string | undefined }[] };
let outbound: Outbound;
let licenceStatus = 200;
let counter: ReturnType<typeof createLicenceCounter>;
let isCountingAway = false;

beforeAll(async () => {
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  keyServer = await startKeyServer();
  licences = await startLicenceServer();
  const port = Object(licences.server.address()).port;
  const server = { url: `http://127.0.0.1:${port}/licence?content={videoId}`, authorization: 'Bearer x' };
  // Replaced below, after the database has started.
  let packager: Packager | null = null;
  const late: Packager = {
    repackage: (...args) => Object(packager).repackage(...args),
    protectNew: (...args) => Object(packager).protectNew(...args),
  };
  const proxy = createLicenceProxy({
    servers: { widevine: server, fairPlay: server },
    fairPlayCertificate: CERTIFICATE,
    outbound,
  });
  counter = createLicenceCounter(proxy, {
    async write(given) {
      if (isCountingAway) throw new Error('Away.');
      await addLicences(api.database.db, given);
    },
    onError: () => undefined,
  });
  api = await startTestApi({ outbound, packager: late, licences: counter.licences });
  const keySource = createSpekeKeySource({
    url: keyServer.url,
    authorization: null,
    systems: ['widevine', 'fairPlay'],
    outbound,
    cpix: { write: writeCpixRequest, parse: parseCpixAnswer },
    timeoutMs: 30_000,
  });
  packager = createPackager({
    db: api.database.db,
    secretBox: createSecretBox(TEST_SECRET),
    keySource,
    scheme: 'cbcs',
  });
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
  await outbound.close();
  await keyServer.stop();
  await closeServer(licences.server, 0);
});

async function startLicenceServer() {
  const seen: { path: string; body: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ path: request.url ?? '', body, authorization: request.headers.authorization });
      response.writeHead(licenceStatus).end(`licence for ${body}`);
    });
  });
  await listen(server, 0, '127.0.0.1');
  return { server, seen };
}

type Made = { id: number; key: string; guid: string };

/** Creates a library with these settings and a video in it. */
async function makeVideo(settings: object): Promise<Made> {
  const { library, keys } = await api.libraries.create({ name: 'DRM', pullZoneName: null, libraryKey: null });
  const { db } = api.database;
  await db
    .updateTable('library')
    .set({ settings: JSON.stringify(settings) })
    .where('id', '=', library.id)
    .execute();
  const made = await api.call('POST', `/library/${library.id}/videos`, { key: keys.libraryKey, body: { title: 'T' } });
  return { id: library.id, key: keys.libraryKey, guid: String(Object(made.body).guid) };
}

const repackage = ({ id, key, guid }: Made) => api.call('POST', `/library/${id}/videos/${guid}/repackage`, { key });

const packagesOf = ({ guid }: Made) =>
  api.database.db
    .selectFrom('drm_package')
    .selectAll()
    .where('media_id', '=', guid as never)
    .execute();

describe('repackaging with a key server', () => {
  test('requests the systems that the library has enabled from the key server, and stores its response', async () => {
    const made = await makeVideo(ALL_ON);
    keyServer.seen.length = 0;
    expect((await repackage(made)).status).toBe(200);
    const [{ document } = { document: '' }] = keyServer.seen;
    expect(document).toContain(`contentId="${made.guid}"`);
    const [stored] = await packagesOf(made);
    expect(new Set(stored?.signals.map(({ system }) => system))).toEqual(new Set(['widevine', 'fairPlay']));
    const off = await makeVideo({ drm: { enabled: true, version: 'enterprise' } });
    expect((await repackage(off)).status).toBe(200);
    expect(keyServer.seen.at(-1)?.document).not.toContain('DRMSystem ');
  });

  test.each([
    { does: 'refuses', status: 403, says: 'refused the request' },
    { does: 'fails', status: 500, says: 'HTTP 500' },
  ])('reports that the key server $does, and leaves the video unchanged', async ({ status, says }) => {
    const made = await makeVideo(ALL_ON);
    keyServer.script((_request, response) => response.writeHead(status).end('no'));
    const answer = await repackage(made);
    keyServer.script(answerKeys);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(Object(answer.body).message).toContain(says);
    expect(await packagesOf(made)).toEqual([]);
  });
});

describe('licences of a packaged video', () => {
  const ask = (path: string, body: string, headers = {}) =>
    api.call('POST', path, { key: null, body: Buffer.from(body), headers });

  test('passes licence requests and responses through unchanged', async () => {
    const made = await makeVideo(ALL_ON);
    await repackage(made);
    const widevine = await ask(`/WidevineLicense/${made.id}/${made.guid}?contentId=x`, 'challenge');
    expect([widevine.status, widevine.text]).toEqual([200, 'licence for challenge']);
    expect(widevine.headers.get('content-type')).toBe('application/octet-stream');
    expect(licences.seen.at(-1)).toEqual({
      path: `/licence?content=${made.guid}`,
      body: 'challenge',
      authorization: 'Bearer x',
    });
    const fairPlay = await ask(`/FairPlay/${made.id}/license/?videoId=${made.guid}`, 'spc');
    expect([fairPlay.status, fairPlay.text]).toEqual([200, 'licence for spc']);
    const older = await ask(`/FairPlayLicense/${made.id}/${made.guid}`, JSON.stringify({ spc: btoa('spc') }));
    expect([older.status, older.body]).toEqual([200, { ckc: btoa('licence for spc') }]);
    const certificate = await api.call('GET', `/FairPlay/${made.id}/certificate`, { key: null });
    expect([certificate.status, certificate.text]).toEqual([200, CERTIFICATE.toString()]);
  });

  test('refuses licences without a valid token, and for pages of other sites', async () => {
    const made = await makeVideo({
      ...ALL_ON,
      access: { playerTokenRequired: true, allowedReferrers: ['good.test'] },
    });
    await repackage(made);
    const expires = Math.floor(Date.now() / 1000) + 60;
    const token = createHash('sha256').update(`${made.key}${made.guid}${expires}`).digest('hex');
    const path = `/WidevineLicense/${made.id}/${made.guid}`;
    const good = `?token=${token}&expires=${expires}`;
    expect((await ask(path, 'c')).status).toBe(403);
    expect((await ask(`${path}?token=${token}&expires=${expires + 1}`, 'c')).status).toBe(403);
    expect((await ask(`${path}${good}`, 'c', { Referer: 'https://bad.test/' })).status).toBe(403);
    expect((await ask(`${path}${good}`, 'c', { Referer: 'https://good.test/' })).status).toBe(200);
    const player = { Referer: 'https://iframe.mediadelivery.net/' };
    expect((await ask(`${path}${good}`, 'c', player)).status).toBe(200);
  });

  test('returns 404 for licences of other videos, systems and libraries', async () => {
    const plain = await makeVideo({ drm: { enabled: true, version: 'enterprise', widevine: { enabled: true } } });
    expect((await ask(`/WidevineLicense/${plain.id}/${plain.guid}`, 'c')).status).toBe(404);
    expect((await ask(`/FairPlay/${plain.id}/license?videoId=${plain.guid}`, 'c')).status).toBe(400);
    const off = await makeVideo({});
    expect((await ask(`/WidevineLicense/${off.id}/${off.guid}`, 'c')).status).toBe(400);
    expect((await ask(`/WidevineLicense/999999/${off.guid}`, 'c')).status).toBe(404);
  });

  test('distinguishes a refusal by the licence server from a missing response', async () => {
    const made = await makeVideo(ALL_ON);
    await repackage(made);
    const path = `/WidevineLicense/${made.id}/${made.guid}`;
    await vi.waitFor(async () => expect((await ask(path, 'c')).status).toBe(200), { timeout: 20_000 });
    for (const [status, answered] of [
      [403, 403],
      [400, 403],
      [500, 503],
    ] as const) {
      licenceStatus = status;
      expect((await ask(path, 'c')).status).toBe(answered);
    }
    licenceStatus = 200;
    expect((await ask(path, 'x'.repeat(70_000))).status).toBe(413);
  });
});

test('counts licences by day, even after a period in which the counts could not be written', async () => {
  const made = await makeVideo(ALL_ON);
  await repackage(made);
  isCountingAway = true;
  const give = async () =>
    (await api.call('POST', `/WidevineLicense/${made.id}/${made.guid}`, { key: null, body: 'c' })).status;
  await vi.waitFor(async () => expect(await give()).toBe(200), { timeout: 20_000 });
  await counter.close();
  expect(await give()).toBe(200);
  isCountingAway = false;
  await counter.close();
  const statistics = (query = '') =>
    api.call('GET', `/videolibrary/${made.id}/drm/statistics${query}`, { key: api.first.accountKey });
  const { body } = await statistics();
  const { TotalLicensesIssued: total, LicensesIssuedChart: chart } = Object(body);
  expect([total, Object.keys(chart).length]).toEqual([2, 31]);
  expect(chart[`${new Date().toISOString().slice(0, 10)}T00:00:00Z`]).toBe(2);
  const past = await statistics('?dateFrom=2024-02-28&dateTo=2024-03-01T05:00:00Z');
  expect(past.body).toEqual({
    TotalLicensesIssued: 0,
    LicensesIssuedChart: { '2024-02-28T00:00:00Z': 0, '2024-02-29T00:00:00Z': 0, '2024-03-01T00:00:00Z': 0 },
  });
  expect(Object((await statistics('?dateFrom=0001-01-01')).body).TotalLicensesIssued).toBe(2);
  expect((await statistics('?dateFrom=2030-01-02&dateTo=2030-01-01')).status).toBe(400);
});
