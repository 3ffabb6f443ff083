import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { explainRequest } from '../../src/api/pull-zones/explain-request.ts';
import { signEmbedToken } from '../../src/catalog/libraries/embed-token.ts';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { createPullZoneStore } from '../../src/catalog/pull-zones/pull-zone-store.ts';
import { signFile, signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { createShareStore } from '../../src/catalog/shares/share-store.ts';
import { openFirewall } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { requireOneHost } from '../../src/catalog/shield/host-fault.ts';
import { RULES } from '../../src/catalog/shield/rules.ts';
import { createShieldSettingsStore } from '../../src/catalog/shield/shield-settings-store.ts';
import { drawViewerSecret } from '../../src/catalog/viewers/viewer-access-store.ts';
import { ViewerAuthorizer } from '../../src/catalog/viewers/viewer-authorizer.ts';
import { readRuleTexts } from '../../src/compose/firewall.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { ATTACKS, BROWSER, SCANS } from '../support/hostile-requests.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createGrowingFixture, type GrowingFixture } from './growing-video.ts';
import type { RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const OWN_HOSTS = ['127.0.0.1', 'localhost', 'edge.test'];
const AGENT = BROWSER.replace('User-Agent: ', '');

let videos: GrowingFixture;
let key: RenditionKey;
let edge: TestEdge;
const firewall = openFirewall(readRuleTexts, (error) => {
  throw error;
});
const outbound = createOutbound({ allow: ['127.0.0.0/8'] });

beforeAll(async () => {
  videos = await createGrowingFixture();
  key = await videos.addVideo();
  await videos.publish(key, 0);
  await createShieldSettingsStore(videos.database.db).changeUnzoned(() => ({ ...readWafSettings({}), blocks: true }));
  const settings = JSON.stringify({ waf: { blocks: true }, tokenRequired: true, blocksRoot: true, blocksPost: true });
  await videos.database.db
    .updateTable('pull_zone')
    .set({ settings })
    .where('library_id', '=', videos.libraryId)
    .execute();
  edge = await videos.open({ firewall });
});
afterAll(async () => {
  await outbound.close();
  await videos.close();
});

type Asked = { method: string; host: string; target: string; headers: Record<string, string> };

/** Returns the verdict of the edge: its status and the rule that it names. */
async function judgeAtEdge({ method, host, target, headers }: Asked): Promise<string | null> {
  const socket = connect(edge.port, '127.0.0.1');
  const lines = Object.entries({ Host: host, ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write([`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  const answer = await readText(socket);
  const rule = /^x-millrace-rule: (\S+)/im.exec(answer)?.[1] ?? null;
  return /^HTTP\/1\.1 (?:403|429|503) /.test(answer) ? rule : null;
}

async function explain({ method, host, target, headers }: Asked): Promise<string | null> {
  const { db } = videos.database;
  const secretBox = createSecretBox(TEST_SECRET);
  const { id } = await db
    .selectFrom('pull_zone')
    .select('id')
    .where('library_id', '=', videos.libraryId)
    .executeTakeFirstOrThrow();
  const Url = `http://${host}${target}`;
  const body = { Url, Method: method, RemoteIp: '127.0.0.1', Headers: { Host: host, ...headers, Connection: 'close' } };
  const sent = Readable.from([Buffer.from(JSON.stringify(body))]);
  const raw = {
    params: { id: String(id) },
    queryText: '',
    // Only the headers of the message are read.
    message: Object.assign(sent, { headers: {} }) as unknown as IncomingMessage,
    grant: null,
    ...{ address: '127.0.0.1', reachedUrl: 'http://127.0.0.1' },
    signal: new AbortController().signal,
  };
  const deps = {
    pullZones: createPullZoneStore({ db, secretBox }),
    loadPolicy: (ref: Parameters<typeof loadZonePolicy>[1]) => loadZonePolicy({ db, secretBox }, ref),
    shieldSettings: createShieldSettingsStore(db),
    ownHosts: OWN_HOSTS,
    firewall,
    viewers: new ViewerAuthorizer({ outbound }),
    db,
    place: async () => ({ country: '', asn: '' }),
  };
  const { RuleId } = Object(await explainRequest.handle(raw, deps));
  return RuleId;
}

/** Returns the path and the user agent of a hostile request. */
function partsOf(text: string): { path: string; agent: string } {
  return {
    path: /^GET (\S+) HTTP/.exec(text)?.[1] ?? '/',
    agent: /^User-Agent: (.*)$/im.exec(text)?.[1] ?? AGENT,
  };
}

test('explain returns the verdict of the edge for hostile, signed and plain addresses', async () => {
  const { keys } = (await loadZonePolicy(
    { db: videos.database.db, secretBox: createSecretBox(TEST_SECRET) },
    { by: 'library', libraryId: videos.libraryId },
  )) ?? { keys: { current: '' } };
  const expiresSec = Math.floor(Date.now() / 1000) + 600;
  const signing = { key: keys.current, expiresSec, address: null };
  const zone = `/vz-${videos.libraryId}`;
  const { mediaId } = key;
  const folder = signFolder({ ...signing, folder: `/${mediaId}/` });
  const query = signFile({ ...signing, path: `/${mediaId}/thumbnail.jpg` });
  const files = [
    ...['', '/', `/${mediaId}/playlist.m3u8`, `/${mediaId}/none.txt`, `/${mediaId}/playlist.m3u8?x=%3Cscript%3E`],
    ...[`/${mediaId}/thumbnail.jpg?${query}`, `/${mediaId}/playlist.m3u8?${query}`, `/${mediaId}/../playlist.m3u8`],
    ...[`/${folder}/${mediaId}/playlist.m3u8`, `/${folder}/${mediaId}/playlist.m3u8?q=1%27%20or%20sleep(5)%23`],
    ...[`/embed/${videos.libraryId}/${mediaId}`, '/embed/9/x', '/assets/none.js', '/beacons', `/${mediaId}%2f.env`],
    ...[...ATTACKS, ...SCANS].map(([, text]) => partsOf(text).path),
  ];
  const prefixes = ['', zone, '/vz-99', `/${mediaId}`];
  const hosts = ['127.0.0.1', `vz-${videos.libraryId}.edge.test`, 'vz-99.edge.test', 'other.example'];
  const agents = [AGENT, ...SCANS.map(([, text]) => partsOf(text).agent)];
  const random = seededRandom(7);
  const any = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const verdicts = new Set<string | null>();
  for (const file of files) {
    for (const prefix of prefixes) {
      const asked: Asked = {
        method: any(['GET', 'GET', 'HEAD', 'POST', 'OPTIONS']),
        host: any(hosts),
        target: `${prefix}${file}` || '/',
        headers: {
          'User-Agent': any(agents),
          Accept: '*/*',
          ...(random.below(5) === 0 && { Range: 'bytes=0-9' }),
          ...(random.below(5) === 0 && { Referer: 'https://page.example/a' }),
        },
      };
      const verdict = await judgeAtEdge(asked);
      verdicts.add(verdict);
      expect([asked, await explain(asked)]).toEqual([asked, verdict]);
    }
  }
  expect(verdicts.has(null)).toBe(true);
  expect(verdicts.size).toBeGreaterThan(6);
});

/** Settings of a library whose videos play only on the owner's pages and only with a token. */
const LOCKED = {
  access: { playerTokenRequired: true, allowDirectPlay: false, allowedReferrers: ['page.example'] },
  drm: { enabled: true, version: 'basic' },
};

/** Creates a share, whose link it returns, and a deleted one. Returns queries with the player tokens of both. */
async function makeShares(signing: string, expiresSec: number) {
  const [{ db }, { libraryId }, { mediaId }] = [videos.database, videos, key];
  const shares = createShareStore({ db, secretBox: createSecretBox(TEST_SECRET) });
  const fields = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test' };
  const [kept, deleted] = [
    await shares.create({ libraryId, mediaId }, fields),
    await shares.create({ libraryId, mediaId }, fields),
  ];
  await shares.remove({ libraryId, mediaId, shareId: deleted.id });
  const tokens = [kept.id, deleted.id].map((shareId) => {
    const { token } = signEmbedToken(signing, mediaId, { expiresSec, shareId });
    return `token=${token}&expires=${expiresSec}&share=${shareId}`;
  });
  return { link: kept.token, tokens };
}

test('explain returns the verdict of the edge for player pages, playlists and keys', async () => {
  const { db } = videos.database;
  const { libraryId } = videos;
  const { mediaId } = key;
  await db
    .updateTable('library')
    .set({ settings: JSON.stringify(LOCKED) })
    .where('id', '=', libraryId)
    .execute();
  const settings = JSON.stringify({ waf: { blocks: true } });
  await db.updateTable('pull_zone').set({ settings }).where('library_id', '=', libraryId).execute();
  edge = await videos.open({ firewall });
  const secretBox = createSecretBox(TEST_SECRET);
  const policy = await loadZonePolicy({ db, secretBox }, { by: 'library', libraryId });
  const current = policy?.keys.current ?? '';
  const nowSec = Math.floor(Date.now() / 1000);
  const query = (signing: string, id: string, sec: number) => {
    const { token, expiresSec } = signEmbedToken(signing, id, { expiresSec: sec });
    return `token=${token}&expires=${expiresSec}`;
  };
  const { link, tokens } = await makeShares(current, nowSec + 600);
  const queries = [
    ...['', 'autoplay=true', 'token=x&expires=1', 'expires=99999999999', query(current, mediaId, nowSec + 600)],
    ...[query(current, mediaId, nowSec - 600), query('another key', mediaId, nowSec + 600)],
    ...[query(current, newGuid(), nowSec + 600), query(current, mediaId, nowSec + 600).replace('token', 'Token')],
    ...tokens,
  ];
  const zone = `/vz-${libraryId}/${mediaId}`;
  const pages = [mediaId, newGuid()].flatMap((id) =>
    [libraryId, 99].flatMap((library) => [`/embed/${library}/${id}`, `/play/${library}/${id}`]),
  );
  const files = [
    ...[`/share/${link}`, `/share/${link}/player`, `/share/${'a'.repeat(43)}`],
    ...[...pages, ...pages.map((page) => `${page}/state`)],
    ...['key/none', `key/${newGuid()}`, `key/${'k'.repeat(43)}`, 'license', 'license/widevine'].map(
      (name) => `${zone}/${name}`,
    ),
    ...['playlist.m3u8', '360p/video.m3u8', 'captions/en.m3u8', 'thumbnail.jpg'].map((name) => `${zone}/${name}`),
    ...ATTACKS.map(([, text]) => `/embed/${libraryId}/${mediaId}${partsOf(text).path}`),
  ];
  const random = seededRandom(11);
  const any = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const verdicts = new Set<string | null>();
  for (const file of files) {
    for (const text of queries) {
      const headers: Record<string, string> = { 'User-Agent': AGENT, Accept: '*/*' };
      if (random.below(2) === 0) headers.Referer = any(['https://page.example/a', 'https://other.example/', 'none']);
      if (random.below(4) === 0) headers['Sec-Fetch-Dest'] = any(['document', 'iframe']);
      const host = any(['127.0.0.1', '127.0.0.1', `vz-${libraryId}.edge.test`]);
      const target = `${file}${text === '' ? '' : `${file.includes('?') ? '&' : '?'}${text}`}`;
      const asked: Asked = { method: any(['GET', 'GET', 'HEAD', 'POST', 'OPTIONS']), host, target, headers };
      const verdict = await judgeAtEdge(asked);
      verdicts.add(verdict);
      expect([asked, await explain(asked)]).toEqual([asked, verdict]);
    }
  }
  const { embedToken, directPlay, referrer } = RULES;
  expect([...verdicts]).toEqual(expect.arrayContaining([null, embedToken.id, directPlay.id, referrer.id]));
});

test('explain returns the verdict of the edge for viewers about whom the owner decides', async () => {
  const { db } = videos.database;
  const [{ libraryId }, { mediaId }] = [videos, key];
  const asked = new Set<string>();
  const endpoint = createServer(
    requireOneHost(async (request, response) => {
      const { viewer: token } = JSON.parse(await readText(request));
      asked.add(token);
      if (token === 'broken') response.statusCode = 500;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ allow: token === 'member' }));
    }),
  );
  onTestFinished(() => closeServer(endpoint, 0));
  const url = `http://127.0.0.1:${await listen(endpoint, 0, '127.0.0.1')}/`;
  await drawViewerSecret({ db, secretBox: createSecretBox(TEST_SECRET) }, libraryId, true);
  const judge = async (failOpen: boolean) => {
    const settings = JSON.stringify({ viewers: { mode: 'hook', url, failOpen } });
    await db.updateTable('library').set({ settings }).where('id', '=', libraryId).execute();
    edge = await videos.open({ firewall });
    const verdicts: Record<string, string | null> = {};
    for (const page of ['embed', 'play']) {
      for (const token of ['member', 'stranger', 'broken', '']) {
        const target = `/${page}/${libraryId}/${mediaId}${token === '' ? '' : `?viewer=${token}`}`;
        const one = { method: 'GET', host: '127.0.0.1', target, headers: { 'User-Agent': AGENT, Accept: '*/*' } };
        const verdict = await judgeAtEdge(one);
        expect([target, await explain(one)]).toEqual([target, verdict]);
        verdicts[`${page} ${token}`] = verdict;
      }
    }
    return verdicts;
  };
  const closed = await judge(false);
  const open = await judge(true);
  expect(asked).toEqual(new Set(['member', 'stranger', 'broken', '']));
  for (const page of ['embed', 'play']) {
    expect([closed[`${page} member`], open[`${page} member`], open[`${page} broken`]]).toEqual([null, null, null]);
    for (const token of ['stranger', 'broken', '']) expect(closed[`${page} ${token}`], token).not.toBeNull();
  }
});

test('explain returns the verdict of the edge for a private video in a zone that requires no tokens', async () => {
  const [{ db }, { libraryId }, { mediaId }] = [videos.database, videos, key];
  for (const name of ['library', 'pull_zone'] as const) await db.updateTable(name).set({ settings: '{}' }).execute();
  await db.updateTable('media').set({ visibility: 'private' }).where('id', '=', mediaId).execute();
  edge = await videos.open({ firewall });
  const [host, pages] = ['127.0.0.1', [`/embed/${libraryId}/${mediaId}`, `/play/${libraryId}/${mediaId}/state`]];
  const playlists = [mediaId, newGuid()].map((id) => `/vz-${libraryId}/${id}/playlist.m3u8`);
  const verdicts = new Set<string | null>();
  const asks = (method: string) => [...pages, ...playlists].map((target) => ({ method, host, target, headers: {} }));
  for (const asked of ['GET', 'HEAD', 'POST'].flatMap(asks)) {
    const verdict = await judgeAtEdge(asked);
    expect([asked, await explain(asked)]).toEqual([asked, verdict]);
    verdicts.add(verdict);
  }
  expect(verdicts).toEqual(new Set([null, RULES.tokenMissing.id, RULES.embedToken.id]));
});
