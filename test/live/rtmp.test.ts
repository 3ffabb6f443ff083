import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { discard, type Service, startService } from '../support/service.ts';
import {
  ended,
  framesOf,
  type LiveCatalogue,
  makeClip,
  NO_RUNGS,
  openLiveCatalogue,
  publish,
  publishByGstreamer,
  readText,
  startLive,
  until,
} from './live-service.ts';

const run = promisify(execFile);

const ACCOUNT_KEY = 'an-account-key-of-this-test';

let service: Service;
let catalogue: LiveCatalogue;
let clip = '';
let folder = '';
beforeAll(async () => {
  clip = await makeClip();
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-rtmps-'));
  const pem = path.join(folder, 'certificate.pem');
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  await run('openssl', [...self, '-keyout', `${pem}.key`, '-out', pem]);
  service = await startService(null, {
    MILLRACE_INGEST_CERTIFICATE: pem,
    MILLRACE_INGEST_CERTIFICATE_KEY: `${pem}.key`,
    MILLRACE_RTMPS_PORT: '0',
    MILLRACE_INGEST_HOST: 'localhost',
    MILLRACE_REGION: 'here',
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
  });
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
  await rm(folder, { recursive: true });
});

function segments(base: string, count: number): Promise<string> {
  return until(async () => {
    const media = /\n(r\/.*\.m3u8)/.exec((await readText(`${base}/playlist.m3u8`)) ?? '')?.[1];
    const text = media === undefined ? null : await readText(`${base}/${media}`);
    return (text?.match(/#EXTINF/g)?.length ?? 0) >= count ? text : null;
  }, `${count} segments`);
}

test('ffmpeg publishes by RTMPS, and GStreamer by rtmp2sink', async () => {
  const secure = await startLive({ service, catalogue });
  const ffmpeg = await publish(`rtmps://localhost:${secure.listeners.rtmps}/live/${secure.streamKey}`, NO_RUNGS);
  const plain = await startLive({ service, catalogue });
  const sink = ['flvmux', 'name=mux', 'streamable=true', '!', 'rtmp2sink', 'sync=true', `location=${plain.ingest}`];
  const gstreamer = publishByGstreamer(clip, sink);
  await Promise.all([segments(secure.base, 2), segments(plain.base, 2)]);
  for (const { key } of [secure, plain]) await catalogue.streams.change(key, stopStream);
  await ended(ffmpeg);
  gstreamer.kill('SIGKILL');
  for (const { base } of [secure, plain]) {
    expect(await framesOf(`${base}/playlist.m3u8`)).toMatchObject({ errors: '', video: 'h264', audio: 'aac' });
  }
}, 120_000);

test('streams name every address of ingest, under the host and the region that are set', async () => {
  const { key, listeners } = await startLive({ service, catalogue });
  const headers = { AccessKey: ACCOUNT_KEY };
  const shown = await until(async () => {
    const answer = await fetch(`${service.apiUrl}/library/1/live/${key.mediaId}`, { headers });
    const { ingestEndpoints } = (await answer.json()) as { ingestEndpoints: Record<string, unknown> };
    return ingestEndpoints.whip === undefined ? null : ingestEndpoints;
  }, 'addresses');
  const both = (url: string) => ({ primaryIngestUrl: url, backupIngestUrl: url });
  expect(shown).toEqual({
    rtmp: both(`rtmp://localhost:${listeners.rtmp}/live`),
    rtmps: both(`rtmps://localhost:${listeners.rtmps}/live`),
    srt: both(`srt://localhost:${listeners.srt}`),
    whip: both(`https://localhost:${listeners.whip}/whip`),
  });
  expect((await catalogue.database.db.selectFrom('live_node').select('region').execute())[0]).toEqual({
    region: 'here',
  });
});

test('of one address a few connections may wait without publishing, for ten seconds', async () => {
  const { listeners } = await service.health();
  const sockets = Array.from({ length: 40 }, () => connect(listeners.rtmp ?? 0, '127.0.0.1'));
  const closedAt: number[] = [];
  const startedMs = Date.now();
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('close', () => closedAt.push(Date.now() - startedMs));
  }
  await until(async () => (closedAt.length >= 8 ? true : null), 'connections that are turned away');
  expect(closedAt.length).toBe(8);
  await until(async () => (closedAt.length === 40 ? true : null), 'the end of the others');
  expect(closedAt.filter((ms) => ms > 9_000)).toHaveLength(32);
}, 60_000);
