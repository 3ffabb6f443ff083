import { once } from 'node:events';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSpekeKeySource } from '../../src/adapters/drm-key-source/speke-key-source.ts';
import { createLicenceProxy } from '../../src/adapters/licence-proxy/licence-proxy.ts';
import { createPackager } from '../../src/catalog/drm/packager.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { parseXml } from '../../src/lib/parse-xml.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { parseCpixAnswer, writeCpixRequest } from '../../src/media/drm/keys/cpix.ts';
import { readPssh, SYSTEM_IDS } from '../../src/media/drm/keys/pssh.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { checkPlaylist } from '../support/rfc8216/check-playlist.ts';
import { askLicence, bytesOf, type DrmFixture, openDrmFixture, type Shown, statusOf, textOf } from './drm-fixture.ts';

const ON = { enabled: true };
const SETTINGS = { drm: { ...ON, version: 'enterprise', widevine: ON, fairPlay: ON } };

let fixture: DrmFixture;
let keyServer: KeyServer;
let outbound: Outbound;
let shown: Shown;

beforeAll(async () => {
  [fixture, keyServer] = await Promise.all([openDrmFixture(), startKeyServer()]);
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  shown = await fixture.publish(SETTINGS);
  const keySource = createSpekeKeySource({
    url: keyServer.url,
    authorization: null,
    systems: ['widevine', 'playReady', 'fairPlay'],
    outbound,
    cpix: { write: writeCpixRequest, parse: parseCpixAnswer },
  });
  const secretBox = createSecretBox(TEST_SECRET);
  const packager = createPackager({ db: fixture.database.db, secretBox, keySource, scheme: 'cbcs' });
  await packager.repackage(shown, { keepsPrevious: true }, AbortSignal.timeout(30_000));
});
afterAll(async () => {
  await fixture.close();
  await keyServer.stop();
  await outbound.close();
});

test("playlists contain the key server's data for each system, and values derived from its headers", async () => {
  const text = await textOf(`${shown.folder}/r/${shown.audio.renditionId}/video.m3u8`);
  expect(checkPlaylist(text)).toEqual([]);
  const formats = [...text.matchAll(/#EXT-X-KEY:.*KEYFORMAT="([^"]+)"/g)].map(([, format]) => format);
  expect(formats).toEqual([
    `urn:uuid:${SYSTEM_IDS.widevine}`,
    'com.microsoft.playready',
    'com.apple.streamingkeydelivery',
  ]);
  expect(text).toContain('URI="skd://keys/');
  const multivariant = await textOf(`${shown.folder}/playlist.m3u8`);
  expect(checkPlaylist(multivariant)).toEqual([]);
  // There is one per key group.
  expect(multivariant.match(/#EXT-X-SESSION-KEY:/g)).toHaveLength(3);
});

test("the manifest has an element for each DASH system with the server's content", async () => {
  const text = await textOf(`${shown.folder}/manifest.mpd`);
  parseXml(text);
  const schemes = [...text.matchAll(/<ContentProtection schemeIdUri="urn:uuid:([^"]+)"/g)].map(([, id]) => id);
  for (const system of ['widevine', 'playReady', 'common'] as const) {
    expect(
      schemes.filter((id) => id === SYSTEM_IDS[system]),
      system,
    ).toHaveLength(3);
  }
  expect(schemes).not.toContain(SYSTEM_IDS.clearKey);
  expect(text).toContain('<pssh xmlns="urn:mpeg:cenc:2013">');
});

test('each init segment contains the DRM headers of its own key', async () => {
  const init = await bytesOf(`${shown.folder}/r/${shown.audio.renditionId}/e1/init.mp4`);
  const systems = [...init.toString('latin1').matchAll(/pssh/g)].map(({ index }) => {
    const start = index - 4;
    return readPssh(init.subarray(start, start + init.readUInt32BE(start))).systemId;
  });
  expect(systems).toEqual([SYSTEM_IDS.common, SYSTEM_IDS.widevine, SYSTEM_IDS.playReady]);
});

test('our own licence server does not return the keys', async () => {
  const init = await bytesOf(`${shown.folder}/r/${shown.audio.renditionId}/e1/init.mp4`);
  const { kids } = readPssh(
    init.subarray(init.indexOf('pssh') - 4).subarray(0, init.readUInt32BE(init.indexOf('pssh') - 4)),
  );
  const encoded = kids.map((kid) => Buffer.from(kid.replaceAll('-', ''), 'hex').toString('base64url'));
  expect((await askLicence(shown.folder, encoded)).status).toBe(404);
  for (const kid of kids) expect(await statusOf(`${shown.folder}/key/${kid}`)).toBe(404);
  // A request for raw keys gets the same playlists as any other request.
  expect(await textOf(`${shown.folder}/playlist.m3u8?drm=identity`)).not.toContain('identity');
});

test("licences are available under a zone's hostname, next to its player page and without a prefix", async () => {
  const server = { url: `${keyServer.url}/{videoId}`, authorization: null };
  const licences = createLicenceProxy({ servers: { widevine: server }, fairPlayCertificate: null, outbound });
  const edge = await fixture.edgeFixture.start({ licences });
  const hostname = 'media.zone.test';
  const { db } = fixture.database;
  const zone = db.selectFrom('pull_zone').select('id').where('library_id', '=', shown.libraryId);
  const { id } = await zone.executeTakeFirstOrThrow();
  await db.insertInto('pull_zone_hostname').values({ pull_zone_id: id, hostname }).execute();
  keyServer.script((_request, response, body) => response.end(`licence for ${body}`));
  const ask = async (method: string, path: string) => {
    const asked = request({ port: edge.port, path, method, headers: { host: hostname } });
    asked.end(method === 'POST' ? 'a challenge' : undefined);
    const [response] = await once(asked, 'response');
    return { status: response.statusCode, body: await readText(response) };
  };
  const state = JSON.parse((await ask('GET', `/embed/${shown.libraryId}/${shown.mediaId}/state`)).body);
  const licence = { status: 200, body: 'licence for a challenge' };
  expect(await ask('POST', state.source.drm.licenceUrls['com.widevine.alpha'])).toEqual(licence);
  expect(await ask('POST', `/${shown.mediaId}/license/widevine`)).toEqual(licence);
  expect(await ask('POST', `/${shown.mediaId}/license/playready`)).toMatchObject({ status: 404 });
  await edge.close();
});

test('the player gets licences through the edge for systems that have a licence server', async () => {
  const server = { url: `${keyServer.url}/{videoId}`, authorization: null };
  const fairPlayCertificate = Buffer.from('certificate');
  const licences = createLicenceProxy({
    servers: { widevine: server, fairPlay: server },
    fairPlayCertificate,
    outbound,
  });
  const edge = await fixture.edgeFixture.start({ licences });
  keyServer.script((_request, response, body) => response.end(`licence for ${body}`));
  const state = JSON.parse(await textOf(`${edge.base}/embed/${shown.libraryId}/${shown.mediaId}/state`));
  const folder = `/vz-${shown.libraryId}/${shown.mediaId}/license`;
  expect(state.source.drm).toEqual({
    tag: 'e1',
    licenceUrls: { 'com.widevine.alpha': `${folder}/widevine`, 'com.apple.fps': `${folder}/fairplay` },
    certificateUrl: `${folder}/fairplay-certificate`,
  });
  const ask = (name: string) => fetch(`${edge.base}${folder}/${name}`, { method: 'POST', body: 'a challenge' });
  expect(await (await ask('widevine')).text()).toBe('licence for a challenge');
  expect((await ask('playready')).status).toBe(404);
  expect(await textOf(`${edge.base}${folder}/fairplay-certificate`)).toBe('certificate');
  keyServer.script((_request, response) => response.writeHead(403).end());
  expect((await ask('widevine')).status).toBe(403);
  keyServer.script((_request, response) => response.writeHead(500).end());
  expect((await ask('widevine')).status).toBe(503);
  await edge.close();
});
