import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recognizeForeign } from '../../src/media/probe/foreign-bytes.ts';
import { manyTracks, writeHugeFrame } from '../support/hostile-files.ts';
import { expectNothingLeft } from '../support/leftovers.ts';
import { discard, type Service, startService } from '../support/service.ts';
import {
  call,
  createVideo,
  FAILED,
  FINISHED,
  getVideo,
  untilVideo,
  uploadFile,
  type VideoAnswer,
} from '../support/videos.ts';
import { checkWholeVideo } from '../support/whole-video/check-whole-video.ts';

const run = promisify(execFile);
const UPLOAD_FAILED = 6;
const HANG_MS = 120_000;
const ISSUE = { incompatibleResolution: 3, originalCorrupted: 7 };
const SECRET = 'canary-7f3a91c2e5';

let service: Service;
let folder: string;
let canary: Server;
let canaryCalls = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-bad-'));
  canary = createServer((socket) => {
    canaryCalls += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  await writeFile(path.join(folder, 'secret.ts'), SECRET.repeat(1000));
});
afterAll(async () => {
  canary?.close();
  await rm(folder, { recursive: true, force: true });
});

async function upload(name: string, bytes: Uint8Array): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  const guid = await createVideo(service, name);
  expect((await uploadFile(service, guid, file)).status).toBe(200);
  return guid;
}

/** Waits until the video is finished or failed. */
async function untilEnded(guid: string): Promise<VideoAnswer> {
  let video = await getVideo(service, guid);
  const ended = async () => {
    video = await getVideo(service, guid);
    return video.status === FAILED || video.status === FINISHED;
  };
  await expect.poll(ended, { timeout: HANG_MS, interval: 100 }).toBe(true);
  return video;
}

async function make(name: string, ...args: string[]): Promise<Buffer> {
  const file = path.join(folder, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  return readFile(file);
}

const picture = (rate: string, seconds: number) => ['-f', 'lavfi', '-i', `testsrc2=s=320x240:r=${rate}:d=${seconds}`];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=4'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const clip = (...more: string[]) => [...picture('25', 4), ...SOUND, ...H264, '-c:a', 'aac', ...more];

/** Returns targets that an upload must not reach: a file next to it and a listener on this machine. */
function bait(): { file: string; http: string } {
  const address = canary.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a TCP address.');
  return { file: `file://${folder}/secret.ts`, http: `http://127.0.0.1:${address.port}/secret.ts` };
}

function hlsPlaylist(address: string): Buffer {
  const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4', '#EXTINF:4,', address, '#EXT-X-ENDLIST', ''];
  return Buffer.from(lines.join('\n'));
}

function svg(address: string): Buffer {
  const image = `<image href="${address}" width="100" height="100"/>`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">${image}</svg>`);
}

const { originalCorrupted, incompatibleResolution } = ISSUE;
const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.round(bytes.length * share));

const BAD_FILES: { what: string; issueCode: number; make: () => Promise<Buffer> | Buffer }[] = [
  { what: 'text', issueCode: originalCorrupted, make: () => Buffer.from('This is no video.\n'.repeat(500)) },
  { what: 'one byte', issueCode: originalCorrupted, make: () => Buffer.alloc(1) },
  {
    what: 'an MP4 cut before its index',
    issueCode: originalCorrupted,
    make: async () => cut(await make('last.mp4', ...clip()), 0.6),
  },
  {
    what: 'an MP4 cut after its index',
    issueCode: originalCorrupted,
    make: async () => cut(await make('first.mp4', ...clip('-movflags', '+faststart')), 0.5),
  },
  { what: 'an HLS playlist to a file', issueCode: originalCorrupted, make: () => hlsPlaylist(bait().file) },
  { what: 'an HLS playlist to a server', issueCode: originalCorrupted, make: () => hlsPlaylist(bait().http) },
  {
    what: 'a concat script to a file',
    issueCode: originalCorrupted,
    make: () => Buffer.from(`ffconcat version 1.0\nfile '${folder}/secret.ts'\n`),
  },
  {
    what: 'a concat script to a server',
    issueCode: originalCorrupted,
    make: () => Buffer.from(`ffconcat version 1.0\nfile '${bait().http}'\n`),
  },
  { what: 'an SVG with a link to a file', issueCode: originalCorrupted, make: () => svg(bait().file) },
  { what: 'an SVG with a link to a server', issueCode: originalCorrupted, make: () => svg(bait().http) },
  { what: 'a Matroska file of 40,000 streams', issueCode: originalCorrupted, make: () => manyTracks(40_000) },
  {
    what: 'a frame of 16000x16000 pixels',
    issueCode: incompatibleResolution,
    make: async () => {
      const file = path.join(folder, 'huge.mkv');
      await writeHugeFrame(file, 16_000);
      return readFile(file);
    },
  },
];

const ODD_FILES: { what: string; frames: number; args: string[] }[] = [
  { what: 'a single frame', frames: 1, args: [...picture('25', 1), '-frames:v', '1', ...H264] },
  { what: 'one frame per second', frames: 7, args: [...picture('1', 7), ...H264] },
  { what: 'a fifth of a second', frames: 5, args: [...picture('25', 1), '-t', '0.2', ...H264] },
  { what: 'video shorter than its audio', frames: 100, args: clip() },
];

/** Uploads a bad file and expects a refusal, or a failed video whose reason reveals nothing about this machine. */
async function expectFailure({ issueCode, make: source }: (typeof BAD_FILES)[number]): Promise<void> {
  const bytes = await source();
  const file = path.join(folder, 'bad.mp4');
  await writeFile(file, bytes);
  const guid = await createVideo(service, 'bad.mp4');
  const sent = await uploadFile(service, guid, file);
  // Recognised foreign formats are refused immediately, and the video waits for another upload.
  if (recognizeForeign(bytes) !== null) {
    expect(sent.status).toBe(400);
    expect(canaryCalls).toBe(0);
    return;
  }
  expect(sent.status).toBe(200);
  const video = await untilEnded(guid);
  const all = JSON.stringify(await call(service, 'GET', `/library/1/videos/${guid}`));
  expect(video).toMatchObject({
    status: FAILED,
    transcodingMessages: [{ level: 3, issueCode, message: expect.stringMatching(/^Expected .{10,}/) }],
  });
  expect(all).not.toContain(SECRET);
  expect(all).not.toContain(folder);
  expect(canaryCalls).toBe(0);
}

describe.each(['bubblewrap', 'landlock'])('in the sandbox %s', (sandbox) => {
  // All files are encoded in the sandbox that most machines use, and one of each kind in the other.
  const firstOrAll = <Case>(cases: Case[]) => (sandbox === 'bubblewrap' ? cases : cases.slice(0, 1));

  beforeAll(async () => {
    service = await startService(null, { MILLRACE_SANDBOX: sandbox });
    expect(await service.health()).toMatchObject({ sandbox });
  });
  afterAll(() => discard(service));

  test.each(BAD_FILES)(
    '$what named .mp4 fails with an error code and a message, without a network request',
    expectFailure,
  );

  test('each method refuses an empty upload, and the video shows that it failed', async () => {
    const file = path.join(folder, 'empty.mp4');
    await writeFile(file, '');
    const guid = await createVideo(service, 'empty');
    expect((await uploadFile(service, guid, file)).status).toBe(400);
    expect(await getVideo(service, guid)).toMatchObject({ status: UPLOAD_FAILED, storageSize: 0 });
  });

  test.each(firstOrAll(ODD_FILES))('$what becomes a complete video', async ({ frames, args }) => {
    const guid = await upload('odd.mp4', await make('odd.mp4', ...args));
    await untilVideo(service, guid, ({ status }) => status === FINISHED, HANG_MS);
    expect(await checkWholeVideo(service, guid)).toMatchObject({ rungs: [240], frames });
  });

  test.each(
    firstOrAll([
      { missing: 'last frames are', share: 0.97, rate: '25', seconds: 4, messages: [{ level: 2, issueCode: 2 }] },
      { missing: 'last two seconds are', share: 0.9, rate: '10', seconds: 20, messages: [{ level: 2, issueCode: 2 }] },
    ]),
  )(
    'a file whose $missing missing becomes a playable video of the part that exists',
    async ({ share, rate, seconds, messages }) => {
      const inputs = [...picture(rate, seconds), '-f', 'lavfi', '-i', `sine=d=${seconds}`];
      const whole = await make('tail.mp4', ...inputs, ...H264, '-c:a', 'aac', '-movflags', '+faststart');
      const video = await untilEnded(await upload('tail.mp4', cut(whole, share)));
      expect(video).toMatchObject({ status: FINISHED, transcodingMessages: messages });
      await checkWholeVideo(service, video.guid);
    },
  );

  test('rejected files leave nothing behind', async () => {
    await expectNothingLeft(service);
    expect(canaryCalls).toBe(0);
  });
});
