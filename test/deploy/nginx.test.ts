import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parsePullZoneName } from '../../src/catalog/pull-zones/pull-zone-name.ts';
import { readAddress } from '../../src/catalog/pull-zones/url-token.ts';
import { signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import type { ZonePolicy } from '../../src/catalog/pull-zones/zone-policy.ts';
import { parseEdgePath } from '../../src/catalog/shield/admission/edge-path.ts';
import { createGrowingFixture, type GrowingFixture, makeChunk } from '../delivery/growing-video.ts';
import { deleteVideo, type RenditionKey } from '../delivery/publish.ts';
import { makeZonePolicy } from '../support/zone-policy.ts';

type Vector = {
  name: string;
  zone: { keys: string[]; includeIp?: boolean };
  request: { url: string; ip: string; country: string; now: number };
  expect: string;
};
const vectors: Vector[] = JSON.parse(
  await readFile(new URL('../delivery/token-vectors.json', import.meta.url), 'utf8'),
).verify;
/** Id of the first zone for the test vectors. The zone of the video is separate. */
const FIRST_ZONE = 100;
const KEY = 'the key of the zone';
const BLOCKED = '192.0.2.66';

let videos: GrowingFixture;
let video: RenditionKey;
let nginx: ChildProcess;
let folder: string;
let base: string;

const targetOf = ({ request }: Vector) => request.url.replace(/^https?:\/\/[^/]+/, '');

/** Selects vectors for file names in our grammar. Any other file is never served, with or without a token. */
const isOfGrammar = (vector: Vector) => {
  const { path } = readAddress(targetOf(vector), null);
  return parseEdgePath(path).target !== null && vector.expect !== 'expired';
};

function policyOf(name: string): ZonePolicy | null {
  const number = Number(name.replace(/^vz-/, ''));
  const vector = vectors[number - FIRST_ZONE];
  const change = (keys: readonly string[], settings: object) => {
    const policy = makeZonePolicy(videos.libraryId);
    const [current = '', previous] = keys;
    return {
      ...policy,
      ...{ id: number, name: parsePullZoneName(name) ?? policy.name },
      settings: { ...policy.settings, tokenRequired: true, ...settings },
      keys: {
        current,
        previous: previous === undefined ? null : { key: previous, untilMs: Number.POSITIVE_INFINITY },
        library: 'the library key',
      },
    };
  };
  if (vector !== undefined) return change(vector.zone.keys, { tokenHoldsAddress: vector.zone.includeIp === true });
  return number === videos.libraryId ? change([KEY], { blockedAddresses: [BLOCKED] }) : null;
}

beforeAll(async () => {
  videos = await createGrowingFixture();
  video = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(video, segment);
  const edge = await videos.open({
    loadPolicy: async (ref) => policyOf(ref.by === 'name' ? ref.name : ''),
    trustedProxies: ['127.0.0.1'],
    locator: {
      locate: (address) => ({
        country: vectors.find(({ request }) => request.ip === address)?.request.country ?? '',
        asn: '',
      }),
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'mr-nginx-'));
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const conf = await readFile(new URL('../../deploy/nginx/millrace.conf', import.meta.url), 'utf8');
  const site = conf
    .replace('server EDGE;', `server 127.0.0.1:${edge.port};`)
    .replace('listen LISTEN;', `listen 127.0.0.1:${port};`)
    .replace('proxy_cache_path CACHE', `proxy_cache_path ${folder}/cache`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  await writeFile(
    join(folder, 'nginx.conf'),
    // nginx trusts the test client as a proxy, so that vectors can set client addresses.
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events { worker_connections 256; }
     http { access_log off; ${paths} set_real_ip_from 127.0.0.1; real_ip_header X-Test-Address; ${site} }`,
  );
  nginx = spawn('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  await vi.waitFor(() => fetch(`${base}/`), 10_000);
});
afterAll(async () => {
  nginx?.kill('SIGTERM');
  if (nginx?.exitCode === null) await once(nginx, 'exit');
  await rm(folder, { recursive: true, force: true });
  await videos.closeEdges();
  await videos.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function signed(segment: number, expiresSec = Date.now() / 1000 + 600, { mediaId, renditionId } = video): string {
  const token = signFolder({
    key: KEY,
    folder: `/${mediaId}/`,
    expiresSec: Math.round(expiresSec),
    address: null,
  });
  return `/vz-${videos.libraryId}/${token}/${mediaId}/r/${renditionId}/${segment}.m4s`;
}

function unsigned(segment: number): string {
  return `/vz-${videos.libraryId}/${video.mediaId}/r/${video.renditionId}/${segment}.m4s`;
}

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}${path}`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    bytes,
    cache: response.headers.get('x-cache'),
    rule: response.headers.get('x-millrace-rule'),
  };
}

/** Sends a request unchanged, with headers that `fetch` would not send. */
async function statusOfRaw(path: string, header: string): Promise<number> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${header}\r\n\r\n`);
  let answer = '';
  for await (const bytes of socket.setEncoding('latin1')) answer += bytes;
  return Number(answer.split(' ', 2)[1]);
}

/** Requests a file twice, and checks that the second response comes from the cache. */
async function keep(path: string): Promise<void> {
  await ask(path);
  expect(await ask(path)).toMatchObject({ status: 200, cache: 'HIT' });
}

test('a cache hit also requires permission: another viewer without it is refused', async () => {
  const whole = makeChunk(0).bytes;
  const [first, second] = [await ask(signed(0)), await ask(signed(0, Date.now() / 1000 + 900))];
  expect([first.status, first.bytes.equals(whole)]).toEqual([200, true]);
  expect([second.status, second.cache, second.bytes.equals(whole)]).toEqual([200, 'HIT', true]);
  expect(await ask(signed(0, 1_000))).toMatchObject({ status: 403, rule: '10102' });
  expect(await ask(unsigned(0))).toMatchObject({ status: 403, rule: '10100' });
});

test('a blocked address stays blocked, regardless of its forwarding headers', async () => {
  await keep(signed(0));
  const blocked = { 'x-test-address': BLOCKED };
  expect(await ask(signed(0), blocked)).toMatchObject({ status: 403, rule: '10160' });
  expect((await ask(signed(0), { ...blocked, 'x-forwarded-for': '198.51.100.7' })).status).toBe(403);
  // A request for an uncached file does not bypass the rule either.
  expect((await ask(signed(2), { ...blocked, 'x-forwarded-for': '198.51.100.7' })).status).toBe(403);
});

test('refuses a request that the edge cannot parse', async () => {
  await keep(signed(0));
  expect(await statusOfRaw(signed(0), 'X-A: a')).toBe(200);
  expect(await statusOfRaw(unsigned(0), 'X-A: \x01')).toBe(403);
});

test('conditional requests apply to the file, not to the authorisation response', async () => {
  await keep(signed(0));
  const [before, after] = [new Date(0).toUTCString(), new Date(Date.now() + 60_000).toUTCString()];
  expect([200, 304]).toContain((await ask(signed(0), { 'if-modified-since': after })).status);
  expect([200, 412]).toContain((await ask(signed(0), { 'if-unmodified-since': before })).status);
});

test('caches a download separately from playback', async () => {
  await keep(signed(0));
  const path = `${signed(0)}?download=1`;
  expect(await ask(path)).toMatchObject({ status: 200, cache: 'MISS' });
  expect(await ask(path)).toMatchObject({ status: 200, cache: 'HIT' });
  // In no spelling is a download cached as the playable file, or the playable file as a download.
  for (const query of ['%64ownload=1', 'a=b&downloa%64', 'Download=1']) {
    for (let time = 0; time < 2; time += 1)
      expect(await ask(`${signed(0)}?${query}`)).toMatchObject({ status: 200, cache: 'BYPASS' });
  }
});

test('does not serve a deleted video from the cache', async () => {
  const deleted = await videos.addVideo();
  await videos.publish(deleted, 0);
  const path = signed(0, undefined, deleted);
  await keep(path);
  await deleteVideo(videos.database.db, deleted);
  await vi.waitFor(async () => expect((await ask(path)).status).toBe(404), 5_000);
});

test('ranges are correct from the first request, and the whole file is correct afterwards', async () => {
  const whole = makeChunk(1).bytes;
  const part = await ask(signed(1), { range: 'bytes=100-299' });
  expect([part.status, part.bytes.equals(whole.subarray(100, 300))]).toEqual([206, true]);
  const rest = await ask(signed(1));
  expect([rest.status, rest.bytes.equals(whole)]).toEqual([200, true]);
  const end = await ask(signed(1), { range: 'bytes=-50' });
  expect([end.status, end.bytes.equals(whole.subarray(-50))]).toEqual([206, true]);
});

test('missing files are 404, and playlists come from the edge', async () => {
  expect((await ask(signed(999_999))).status).toBe(404);
  expect((await ask(signed(0).replace(/r\/.*$/, 'playlist.m3u8'))).bytes.toString()).toContain('#EXTM3U');
});

const known = vectors.map((vector, index) => ({ ...vector, index })).filter(isOfGrammar);

test.each(known)('$name: $expect', async ({ index, ...vector }) => {
  const { status } = await ask(`/vz-${FIRST_ZONE + index}${targetOf(vector)}`, { 'x-test-address': vector.request.ip });
  // The vectors' videos do not exist, so an accepted request gets 404.
  expect(status).toBe(vector.expect.startsWith('ok') ? 404 : 403);
});

test('serves nothing from the cache while the edge is down', async () => {
  await keep(signed(0));
  await videos.closeEdges();
  expect((await ask(signed(0))).status).toBe(502);
  expect((await ask(unsigned(0))).status).toBe(502);
});
