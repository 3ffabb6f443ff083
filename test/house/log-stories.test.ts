import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../src/lib/listen.ts';
import { LOG_EVENTS } from '../../src/lib/log/events/all.ts';
import { createLive, type LiveCatalogue, NO_RUNGS, openLiveCatalogue, publish } from '../live/live-service.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { onceARun } from '../support/once-a-run.ts';
import { passLeases } from '../support/pass-leases.ts';
import { openRtmpPublisher } from '../support/rtmp-publisher.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, newDataDir, type Service, startService } from '../support/service.ts';
import { call, createVideo } from '../support/videos.ts';

type Line = { level: string; role: string; pid: number; event: string; msg: string } & Record<string, unknown>;

const PATIENCE = { timeout: 240_000 };
const HOOK_SECRET = 'hook-user:hook-password-55';
const S3_ID = 'STORIESACCESSKEYID55';
const S3_SECRET = 's3-secret-of-the-stories/66';
const FETCH_SECRETS = ['fetch-token-77', 'fetch-signature-88', 'fetch-cookie-99'];
const PASSPHRASE = 'srt-passphrase-of-the-stories';

let service: Service;
let stub: Awaited<ReturnType<typeof startS3Stub>>;
let catalogue: LiveCatalogue;
let clip: string;
/** Every secret that the run creates or uses. */
const secrets: string[] = [ACCOUNT_KEY, LIBRARY_KEY, HOOK_SECRET, PASSPHRASE, S3_ID, S3_SECRET];

beforeAll(async () => {
  [stub, clip] = await Promise.all([startS3Stub(), makeClip()]);
  service = await startService(await newDataDir(), {
    AWS_ACCESS_KEY_ID: S3_ID,
    AWS_SECRET_ACCESS_KEY: S3_SECRET,
    MILLRACE_STORAGE: stub.url.replace(/&prefix=.*/, ''),
    MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8',
    MILLRACE_LOG_LEVEL: 'debug',
    MILLRACE_ACCESS_LOG: 'all',
    MILLRACE_SRT_PASSPHRASE: PASSPHRASE,
  });
  catalogue = await openLiveCatalogue(service);
  const secretKey = await readFile(path.join(service.dataDir, 'secret.key'));
  secrets.push(secretKey.toString('base64'), secretKey.toString('hex'), secretKey.toString('base64url'));
});
afterAll(async () => {
  await catalogue?.database.close();
  if (service !== undefined) await discard(service);
  await stub?.stop();
});

/** Returns the lines of the log so far, without the URLs that the first start prints. */
function lines(): Line[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Line => JSON.parse(line));
}

/** Returns a video of 6 s in a codec that browsers do not play, so that it must be encoded. */
function makeClip(): Promise<string> {
  return onceARun('stories.mp4', async (place) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=6'];
    await promisify(execFile)('ffmpeg', ['-v', 'error', ...picture, '-c:v', 'mpeg4', '-q:v', '5', place]);
  });
}

/** Waits for a line of an event with these fields. */
async function lineOf(event: string, fields: object = {}): Promise<Line> {
  const find = () => lines().find((line) => line.event === event && isLike(line, fields));
  await expect.poll(find, { ...PATIENCE, message: `${event} ${JSON.stringify(fields)}` }).toBeDefined();
  return find() ?? expect.unreachable();
}

function isLike(line: Line, fields: object): boolean {
  return Object.entries(fields).every(([name, value]) => line[name] === value);
}

const isReady = ({ event, role }: Line) => event === 'role.ready' && role === 'worker';
const eventsOf = (fields: object) => lines().flatMap((line) => (isLike(line, fields) ? [line.event] : []));

async function upload(title: string, requestId = `upload-${title}`): Promise<string> {
  const guid = await createVideo(service, title);
  const response = await fetch(`${service.apiUrl}/library/1/videos/${guid}`, {
    method: 'PUT',
    headers: { AccessKey: LIBRARY_KEY, 'X-Request-Id': requestId },
    body: await readFile(clip),
  });
  expect([response.status, response.headers.get('x-request-id')]).toEqual([200, requestId]);
  return guid;
}

test('logs an upload from its first byte to the finished video, under the id of its request', async () => {
  const videoGuid = await upload('story');
  const finished = await lineOf('video.finished', { videoGuid });
  expect(finished).toMatchObject({ role: 'worker', requestId: 'upload-story', libraryId: 1, isIncomplete: false });
  const events = eventsOf({ videoGuid, requestId: 'upload-story' });
  const order = ['upload.begun', 'upload.finished', 'video.planned', 'video.playable', 'task.claimed', 'task.finished'];
  expect(events).toEqual(expect.arrayContaining(order));
  const at = (event: string) => events.indexOf(event);
  expect(at('upload.begun')).toBeLessThan(at('upload.finished'));
  expect(at('upload.finished')).toBeLessThan(at('video.planned'));
  expect(at('video.planned')).toBeLessThan(at('task.finished'));
  expect(events.filter((event) => event === 'video.playable' || event === 'video.finished')).toEqual([
    'video.playable',
    'video.finished',
  ]);
  const stored = await lineOf('upload.finished', { videoGuid });
  expect(stored).toMatchObject({ role: 'api', kind: 'put', bytes: expect.any(Number), durationMs: expect.any(Number) });
  const encoded = lines().find((line) => line.event === 'task.finished' && line.kind === 'video');
  expect(encoded).toMatchObject({ durationSec: expect.any(Number), speed: expect.any(Number) });
});

test('logs publishers: one rejected with the reason, one connected and dropped, one replaced', async () => {
  const { key, streamKey, ingest } = await createLive({ service, catalogue });
  secrets.push(streamKey);
  const refused = openRtmpPublisher(ingest.replace(streamKey, 'bunnylive_00000000000000000000000000000000'));
  await expect(refused).rejects.toThrow('No stream has this key.');
  const refusal = await lineOf('publisher.refused', { protocol: 'rtmp' });
  expect(refusal).toMatchObject({ address: '127.0.0.1', reason: 'No stream has this key.', role: 'ingest' });
  const first = await publish(ingest, NO_RUNGS);
  const streamGuid = key.mediaId;
  const connected = await lineOf('publisher.connected', { streamGuid });
  expect(connected).toMatchObject({ protocol: 'rtmp', slot: 'primary', address: '127.0.0.1', session: 1 });
  await publish(ingest, NO_RUNGS);
  await lineOf('publisher.connected', { streamGuid, session: 2 });
  expect(await lineOf('publisher.taken-over', { streamGuid })).toMatchObject({ session: 1 });
  const replaced = await lineOf('publisher.ended', { streamGuid, session: 1 });
  expect(replaced.reason).toBe('Another publisher with the same key took over.');
  first.kill('SIGKILL');
  const third = await publish(ingest, NO_RUNGS);
  await lineOf('publisher.connected', { streamGuid, session: 3 });
  await expect
    .poll(() => catalogue.streams.load(key).then(({ ingest: { primaryLive } }) => primaryLive), PATIENCE)
    .toBe(true);
  third.kill('SIGKILL');
  const dropped = await lineOf('publisher.ended', { streamGuid, session: 3 });
  expect(dropped).toMatchObject({ reason: 'the connection closed', bytes: expect.any(Number) });
  expect(Number(dropped.bytes)).toBeGreaterThan(0);
  expect(Number(dropped.durationSec)).toBeGreaterThan(0);
  await call(service, 'DELETE', `/library/1/live/${streamGuid}`);
});

test('logs the kill of a worker: its task loses the lease and is claimed again', async () => {
  const videoGuid = await upload('killed');
  const claimed = await lineOf('task.claimed', { videoGuid, kind: 'video', deaths: 0 });
  const diedAt = new Date();
  process.kill(claimed.pid, 'SIGKILL');
  expect(await lineOf('role.exited', { name: 'worker', exit: 'SIGKILL' })).toMatchObject({ role: 'supervisor' });
  await lineOf('role.ready', { role: 'worker' });
  await passLeases(catalogue.database.pool, diedAt);
  const { taskId } = claimed;
  const lost = await lineOf('task.lease-expired', { taskId });
  expect(lost).toMatchObject({ owner: claimed.owner, videoGuid, attempt: claimed.attempt, requestId: 'upload-killed' });
  const again = await lineOf('task.claimed', { taskId, deaths: 1 });
  expect(again.pid).not.toBe(claimed.pid);
  await lineOf('video.finished', { videoGuid });
}, 500_000);

test('deleting a video while it is processed logs no error', async () => {
  const begin = lines().length;
  for (const at of [1, 2, 3]) {
    const videoGuid = await upload(`deleted-${at}`);
    await lineOf(at === 1 ? 'video.planned' : 'task.claimed', { videoGuid });
    await call(service, 'DELETE', `/library/1/videos/${videoGuid}`);
    await expect.poll(() => eventsOf({ videoGuid }).includes('video.deleted'), PATIENCE).toBe(true);
  }
  const { key, ingest } = await createLive({ service, catalogue });
  await publish(ingest, NO_RUNGS);
  await lineOf('publisher.connected', { streamGuid: key.mediaId });
  await call(service, 'DELETE', `/library/1/live/${key.mediaId}`);
  await lineOf('publisher.ended', { streamGuid: key.mediaId });
  const faults = lines()
    .slice(begin)
    .filter(({ level }) => level === 'error' || level === 'warn');
  expect(faults).toEqual([]);
}, 500_000);

test('logs the fetch of a killed worker as one start, with its credentials hidden', async () => {
  const [token, signature, cookie] = FETCH_SECRETS;
  let requests = 0;
  // Serves the check by the API, hangs for the first worker, and rejects the next worker.
  const origin = createServer((_request, response) => {
    requests += 1;
    if (requests <= 2) response.writeHead(200, { 'Content-Length': '1000000' }).write(Buffer.alloc(1000, 7));
    else response.writeHead(403).end();
  });
  const url = `http://127.0.0.1:${await listen(origin, 0, '127.0.0.1')}/a.mp4?X-Amz-Signature=${signature}`;
  const headers = { Authorization: `Bearer ${token}`, Cookie: `id=${cookie}` };
  try {
    await call(service, 'POST', '/library/1/videos/fetch', { url, headers });
    const { pid, host, videoGuid } = await lineOf('upload.begun', { kind: 'fetch' });
    expect(url).toContain(`//${host}/`);
    await expect.poll(() => requests, PATIENCE).toBe(2);
    const [diedAt, before] = [new Date(), lines().length];
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => lines().findLastIndex(isReady), PATIENCE).toBeGreaterThan(before);
    await passLeases(catalogue.database.pool, diedAt);
    await lineOf('upload.abandoned', { kind: 'fetch', videoGuid });
    expect(eventsOf({ videoGuid, event: 'upload.begun' })).toEqual(['upload.begun']);
    secrets.push(...FETCH_SECRETS);
  } finally {
    origin.closeAllConnections();
    origin.close();
  }
}, 500_000);

test('logs the start and the end of an outage of the object store', async () => {
  const before = lines().length;
  stub.setAway(true);
  const later = (event: string) =>
    lines()
      .slice(before)
      .find((line) => line.event === event);
  await expect.poll(() => later('storage.unreachable'), PATIENCE).toMatchObject({ level: 'error' });
  stub.setAway(false);
  await expect.poll(() => later('storage.reachable'), PATIENCE).toMatchObject({ durationSec: expect.any(Number) });
});

test('no line of the log contains a secret that the run created', async () => {
  const account = async (method: string, address: string, body?: object) => {
    const headers = { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' };
    const response = await fetch(`${service.apiUrl}${address}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect([response.ok, text]).toEqual([true, text]);
    return text === '' ? {} : JSON.parse(text);
  };
  const made = await account('POST', '/videolibrary/1/keys', { Scope: 'write', Label: 'story' });
  const webhook = `http://${HOOK_SECRET}@127.0.0.1:9/hook?token=hook-token-77`;
  await account('POST', '/videolibrary/1', { WebhookUrl: webhook });
  const library = await account('GET', '/videolibrary/1');
  secrets.push(made.Key, library.ApiKey, library.ReadOnlyApiKey, 'hook-token-77');
  const signIn = await fetch(`${service.apiUrl}/dashboard/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: service.apiUrl, 'X-Millrace-Dashboard': '1' },
    body: JSON.stringify({ key: made.Key }),
  });
  secrets.push(/=([^;]+)/.exec(signIn.headers.get('set-cookie') ?? '')?.[1] ?? expect.unreachable());
  const wrong = `${'0123456789abcdef'.repeat(3)}aaaabbbbccccdddd`;
  secrets.push(wrong);
  for (const key of [wrong, made.Key]) {
    await fetch(`${service.apiUrl}/library/1/videos?accessKey=${key}`, { headers: { AccessKey: key } });
  }
  const videoGuid = await upload('secrets');
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const token = createHash('sha256').update(`${library.ApiKey}${videoGuid}${expires}`).digest('hex');
  const urlToken = createHash('sha256').update(token).digest('base64url');
  secrets.push(token, urlToken);
  for (const address of [
    `/embed/1/${videoGuid}?token=${token}&expires=${expires}`,
    `/vz-1/${videoGuid}/playlist.m3u8?token=${urlToken}&expires=${expires}`,
    `/vz-1/bcdn_token=${urlToken}&expires=${expires}/${videoGuid}/playlist.m3u8`,
  ]) {
    const response = await fetch(`${service.edgeUrl}${address}`);
    await response.arrayBuffer();
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  const { streamKey, listeners } = await createLive({ service, catalogue });
  secrets.push(streamKey);
  for (const bearer of [streamKey, `${streamKey}x`]) {
    const response = await fetch(`http://127.0.0.1:${listeners.whip}/whip`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/sdp' },
      body: 'v=0',
    });
    expect(response.headers.get('x-request-id')).not.toBeNull();
  }
  const tusHeaders = { 'Tus-Resumable': '1.0.0', AuthorizationSignature: token, 'X-Request-Id': 'tus.story' };
  const tus = await fetch(`${service.apiUrl}/tusupload`, { method: 'POST', headers: tusHeaders });
  expect(tus.headers.get('x-request-id')).toBe('tus.story');
  await lineOf('video.finished', { videoGuid });
  await lineOf('webhook.failed');
  await lineOf('key.created', { keyId: made.Id, requestId: (await lineOf('key.created')).requestId });
  await lineOf('sign-in.accepted', { address: '127.0.0.1' });
  await lineOf('http.request', { path: `/embed/1/${videoGuid}?token=***&expires=${expires}`, role: 'edge' });
  const { Items } = await account('GET', '/videolibrary/1/audit');
  const requestIds = Items.map(({ Targets }: { Targets: { requestId?: string } }) => Targets.requestId);
  expect(requestIds).toContain('upload-secrets');
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(8);
  const output = service.output();
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
});

test('every line is an event of the catalogue with its role, up to the last line of a shutdown', async () => {
  await service.stop();
  const all = lines();
  const known = Object.keys(LOG_EVENTS);
  expect(all.filter(({ event, role }) => !known.includes(event) || role === undefined)).toEqual([]);
  expect(new Set(all.map(({ role }) => role))).toEqual(new Set(['supervisor', 'api', 'edge', 'ingest', 'worker']));
  const stopped = all.filter(({ event }) => event === 'role.stopped').map(({ role }) => role);
  expect(new Set(stopped)).toEqual(new Set(['api', 'edge', 'ingest', 'worker']));
  expect(all.at(-1)?.event).toBe('service.stopped');
});
