import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { requireOneHost } from '../../src/catalog/shield/host-fault.ts';
import { drawViewerSecret, findViewerSecret } from '../../src/catalog/viewers/viewer-access-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { freePort } from '../support/service.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const LIMIT = { timeout: 120_000 };
const secretBox = createSecretBox(TEST_SECRET);

let fixture: PlayerFixture;
let edge: TestEdge;
let page: string;
let folder: string;
const servers: Server[] = [];

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  edge = await fixture.edges.start({});
  page = await readFile(path.join(projectRoot, 'docs/viewers.md'), 'utf8');
  // Below the project, so that the example finds the package that it imports.
  folder = await mkdtemp(path.join(projectRoot, '.cache/viewers-'));
}, 120_000);
afterAll(async () => {
  for (const server of servers) server.close();
  await edge?.close();
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs an example exactly as it is on the page. Resolves when it listens. */
async function runExample(name: string, env: Record<string, string>): Promise<string> {
  const [, code = ''] = new RegExp(`\`\`\`js\\n(// ${name}\\n[^]*?)\`\`\``).exec(page) ?? [];
  expect(code).not.toBe('');
  const file = path.join(folder, name);
  await writeFile(file, code);
  const port = String(await freePort());
  const environment = { PATH: process.env.PATH, PORT: port, ...env };
  const child = endWithTest(
    spawn(process.execPath, [file], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const listening = new Promise((resolve) => child.stdout.once('data', resolve));
  await Promise.race([listening, once(child, 'exit').then(() => Promise.reject(new Error(`${name} exited.`)))]);
  return `http://localhost:${port}`;
}

async function publish(viewers: Record<string, unknown>): Promise<PublishedFilm & { secret: string }> {
  const made = await fixture.publish({ viewers });
  const deps = { db: fixture.database.db, secretBox };
  await drawViewerSecret(deps, made.libraryId, true);
  return { ...made, secret: (await findViewerSecret(deps, made.libraryId)) ?? '' };
}

const pageUrl = ({ libraryId, mediaId }: PublishedFilm, query = '') =>
  `${edge.base}/embed/${libraryId}/${mediaId}${query}`;
const stateUrl = (film: PublishedFilm, query = '') => pageUrl(film, `/state${query}`);
const outcome = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const rule = /data-rule="([^"]+)"/.exec(text)?.[1] ?? /^\{"error":"([^"]+)"/.exec(text)?.[1] ?? null;
  return [answer.status, rule];
};

/** Loads what the player of an admitted page loads, and returns the statuses. */
async function loadMedia(film: PublishedFilm, query: string): Promise<number[]> {
  const text = await (await fetch(stateUrl(film, query))).text();
  const [playlist = ''] = /\/[^"\s]*playlist\.m3u8[^"\s]*/.exec(text) ?? [];
  const base = new URL(playlist, edge.base);
  const master = await fetch(base);
  const rung = (await master.text()).split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? '';
  const media = await fetch(new URL(rung, base));
  const segment = (await media.text()).split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? '';
  const urls = [new URL(segment, new URL(rung, base)), new URL('play_90p.mp4', base)];
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
  return [master.status, media.status, ...statuses];
}

async function untokened({ mediaId, libraryId }: PublishedFilm): Promise<number[]> {
  const zone = await fixture.database.db
    .selectFrom('pull_zone')
    .select('name')
    .where('library_id', '=', libraryId)
    .executeTakeFirstOrThrow();
  const files = ['playlist.m3u8', 'thumbnail.jpg', 'play_90p.mp4', 'preview.webp'];
  return await Promise.all(
    files.map(async (file) => (await fetch(`${edge.base}/${zone.name}/${mediaId}/${file}`)).status),
  );
}

test('the paywall on the page admits a customer to the page and all files, and nobody else', LIMIT, async () => {
  const film = await publish({ mode: 'hook', url: 'http://127.0.0.1:9/' });
  const url = await runExample('paywall.mjs', { SECRET: film.secret });
  await changeViewers(film, { mode: 'hook', url: url.replace('localhost', '127.0.0.1') });
  expect(await outcome(pageUrl(film))).toEqual([403, 'viewer-denied']);
  expect(await outcome(pageUrl(film, '?viewer=somebody'))).toEqual([403, 'viewer-denied']);
  expect(await outcome(stateUrl(film))).toEqual([403, 'viewer-denied']);
  expect(await untokened(film)).toEqual([403, 403, 403, 403]);
  expect(await outcome(pageUrl(film, '?viewer=customer-42'))).toEqual([200, null]);
  expect(await outcome(pageUrl(film), { headers: { Authorization: 'Bearer customer-42' } })).toEqual([200, null]);
  expect(await loadMedia(film, '?viewer=customer-42')).toEqual([200, 200, 200, 200]);
});

test('the course site on the page admits a student to the lessons of the course only', LIMIT, async () => {
  const [film, other] = [await publish({}), await publish({})];
  const url = await runExample('course.mjs', {
    EDGE: edge.base,
    LIBRARY: String(film.libraryId),
    LESSONS: film.mediaId,
  });
  const rules = { mode: 'jwt', issuer: url, audience: 'videos', videoClaim: 'videos' };
  for (const one of [film, other])
    await changeViewers(one, { ...rules, jwksUrl: `${url.replace('localhost', '127.0.0.1')}/jwks.json` });
  const html = await (await fetch(`${url}/lesson/${film.mediaId}`)).text();
  const [, source = ''] = /src="([^"]+)"/.exec(html) ?? [];
  const query = new URL(source).search;
  expect(await outcome(source)).toEqual([200, null]);
  expect(await loadMedia(film, query)).toEqual([200, 200, 200, 200]);
  expect(await outcome(pageUrl(other, query))).toEqual([403, 'viewer-denied']);
  expect(await outcome(pageUrl(film))).toEqual([403, 'viewer-denied']);
});

async function changeViewers(film: PublishedFilm, viewers: Record<string, unknown>): Promise<void> {
  await fixture.database.db
    .updateTable('library')
    .set({ settings: JSON.stringify({ viewers }) })
    .where('id', '=', film.libraryId)
    .execute();
  // The database notifies the edge of the change.
  await expect.poll(() => outcome(pageUrl(film)).then(([status]) => status), { timeout: 60_000 }).not.toBe(200);
}

/** Starts an endpoint that counts its requests. */
async function startEndpoint(
  answer: (body: string) => { status?: number; text?: string; headers?: Record<string, string> } | null,
  held: Promise<void> = Promise.resolve(),
) {
  let count = 0;
  const server = createServer(
    requireOneHost((request, response) => {
      count += 1;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const found = answer(Buffer.concat(chunks).toString());
        void held.then(() => {
          if (found === null) request.socket.destroy();
          else response.writeHead(found.status ?? 200, found.headers ?? {}).end(found.text ?? '');
        });
      });
    }),
  ).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, count: () => count };
}

test('a verdict is kept, and simultaneous viewers with one token cause one question', LIMIT, async () => {
  const endpoint = await startEndpoint(() => ({ text: '{"allow": true, "cacheSec": 60}' }));
  const film = await publish({ mode: 'hook', url: endpoint.url });
  const all = await Promise.all(Array.from({ length: 10 }, () => outcome(pageUrl(film, '?viewer=a'))));
  expect(all).toEqual(Array.from({ length: 10 }, () => [200, null]));
  await outcome(pageUrl(film, '?viewer=a'));
  expect(endpoint.count()).toBe(1);
  await outcome(pageUrl(film, '?viewer=b'));
  expect(endpoint.count()).toBe(2);
  const state = await (await fetch(stateUrl(film, '?viewer=a'))).text();
  const ends = [...state.matchAll(/expires=(\d+)/g)].map(([, end]) => Number(end));
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(end).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60);
});

test.each([
  ['status 500', { status: 500, text: '{"allow": true}' }, [503, 'viewer-unchecked'], [200, null]],
  ['nothing', null, [503, 'viewer-unchecked'], [200, null]],
  ['status 403', { status: 403, text: 'x'.repeat(5_000) }, [403, 'viewer-denied'], [403, 'viewer-denied']],
  ['other text', { text: 'yes' }, [503, 'viewer-unchecked'], [503, 'viewer-unchecked']],
])('an endpoint that sends %s admits nobody, unless it fails and the library fails open', LIMIT, async (...row) => {
  const [, answer, ofClosed, ofOpen] = row;
  const endpoint = await startEndpoint(() => answer);
  const closed = await publish({ mode: 'hook', url: endpoint.url });
  expect(await outcome(pageUrl(closed, '?viewer=a'))).toEqual(ofClosed);
  const open = await publish({ mode: 'hook', url: endpoint.url, failOpen: true });
  expect(await outcome(pageUrl(open, '?viewer=a'))).toEqual(ofOpen);
});

test('a question names the collection of the video, and only the owner sees the reason', LIMIT, async () => {
  const bodies: string[] = [];
  const endpoint = await startEndpoint((body) => {
    bodies.push(body);
    return { text: '{"allow": false, "reason": "owes 12 euros"}' };
  });
  const film = await publish({ mode: 'hook', url: endpoint.url });
  const { libraryId, mediaId } = film;
  const { db } = fixture.database;
  const id = newGuid();
  await db.insertInto('collection').values({ id, library_id: libraryId, name: 'Course' }).execute();
  await db.updateTable('media').set({ collection_id: id }).where('id', '=', mediaId).execute();
  const state = stateUrl(film, '?viewer=a');
  const Referer = pageUrl(film, '?viewer=secret');
  const answer = await fetch(state, { headers: { Referer } });
  const message = 'The owner of this video does not allow you to watch it.';
  expect([answer.status, await answer.json()]).toEqual([403, { error: 'viewer-denied', message, statusCode: 403 }]);
  expect(bodies.map((body) => JSON.parse(body))).toMatchObject([{ viewer: 'a', collectionId: id, videoId: mediaId }]);
  const logged = async () => {
    const rows = await db
      .selectFrom('shield_event')
      .innerJoin('pull_zone', 'pull_zone.id', 'shield_event.zone_id')
      .select('log')
      .where('library_id', '=', libraryId)
      .execute();
    return rows.map(({ log }) => JSON.stringify(log)).join('\n');
  };
  await expect.poll(logged, { timeout: 60_000 }).toContain('owes 12 euros');
  expect(await logged()).toContain('viewer=***');
  expect(await logged()).not.toContain('secret');
});

test('a dead endpoint is asked three times, then not for a while', LIMIT, async () => {
  const endpoint = await startEndpoint(() => null);
  const film = await publish({ mode: 'hook', url: endpoint.url });
  for (let viewer = 0; viewer < 8; viewer += 1) {
    expect(await outcome(pageUrl(film, `?viewer=${viewer}`))).toEqual([503, 'viewer-unchecked']);
  }
  expect(endpoint.count()).toBe(3);
});

test('one address cannot use up the questions of a library, and does not make it fail open', LIMIT, async () => {
  const held = Promise.withResolvers<void>();
  const endpoint = await startEndpoint(() => ({ text: '{"allow": true}' }), held.promise);
  const film = await publish({ mode: 'hook', url: endpoint.url, failOpen: true });
  const open = Array.from({ length: 20 }, (_, viewer) => outcome(pageUrl(film, `?viewer=${viewer}`)));
  const refused = await Promise.any(
    open.map(async (one) => ((await one)[0] === 503 ? one : Promise.reject(new Error()))),
  );
  expect(refused).toEqual([503, 'viewer-unchecked']);
  held.resolve();
  const admitted = (await Promise.all(open)).filter(([status]) => status === 200);
  expect(admitted.length).toBeGreaterThan(0);
});

test('a private endpoint that is not allowed is never reached', LIMIT, async () => {
  const film = await publish({ mode: 'hook', url: 'http://169.254.169.254/latest' });
  expect(await outcome(pageUrl(film, '?viewer=a'))).toEqual([503, 'viewer-unchecked']);
});

test('a token is checked for algorithm, issuer, audience, time and video', LIMIT, async () => {
  const [{ publicKey, privateKey }, stranger] = [
    await generateKeyPair('RS256', { extractable: true }),
    await generateKeyPair('RS256'),
  ];
  const jwk = { ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256' };
  const endpoint = await startEndpoint(() => ({ text: JSON.stringify({ keys: [jwk] }) }));
  const rules = { issuer: 'https://school.example', audience: 'videos', jwksUrl: endpoint.url };
  const film = await publish({ mode: 'jwt', ...rules, videoClaim: 'video' });
  const nowSec = Math.floor(Date.now() / 1000);
  const right = { iss: rules.issuer, aud: 'videos', exp: nowSec + 600, video: film.mediaId };
  const sign = (claims: JWTPayload, key = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'a' }).sign(key);
  const secret = Buffer.from(JSON.stringify(await exportJWK(publicKey)));
  const wrong = {
    'another issuer': sign({ ...right, iss: 'https://other.example' }),
    'another audience': sign({ ...right, aud: 'other' }),
    'no end': sign({ iss: right.iss, aud: right.aud, video: right.video }),
    'an end in the past': sign({ ...right, exp: nowSec - 60 }),
    'a begin in the future': sign({ ...right, nbf: nowSec + 300 }),
    'another video': sign({ ...right, video: ['6f1c0f6e-6f4e-4e0c-9a3b-0d8f3c8f0a11'] }),
    'no video': sign({ iss: right.iss, aud: right.aud, exp: right.exp }),
    'another key': sign(right, stranger.privateKey),
    'the public key as a secret': new SignJWT(right).setProtectedHeader({ alg: 'HS256', kid: 'a' }).sign(secret),
    'no signature': new UnsecuredJWT(right).encode(),
    garbage: 'a.b.c',
  };
  for (const [name, token] of Object.entries(wrong)) {
    expect([name, ...(await outcome(pageUrl(film, `?viewer=${await token}`)))]).toEqual([name, 403, 'viewer-denied']);
  }
  const token = await sign(right);
  expect(await outcome(pageUrl(film, `?viewer=${token}`))).toEqual([200, null]);
  const state = await (await fetch(stateUrl(film, `?viewer=${token}`))).text();
  const ends = [...state.matchAll(/expires=(\d+)/g)].map(([, end]) => Number(end));
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(end).toBeLessThanOrEqual(right.exp + 30);
  expect(endpoint.count()).toBe(1);
});
