import { createHash, randomBytes } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SendFile } from '../../src/lib/send-file.ts';
import { openSendFile } from '../../src/lib/send-file.ts';
import { encodeFragmentTable } from '../../src/media/cmaf/fragment-table.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { createGrowingFixture, type GrowingFixture, makeChunk } from './growing-video.ts';
import { publishChunk, type RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

// Sizes of responses in bytes. They exceed one write to a socket.
const SIZES = [2_500_003, 700_001, 2 ** 20];
const segments = SIZES.map((size) => randomBytes(size));

let videos: GrowingFixture;
let edge: TestEdge;
let key: RenditionKey;
let sendFile: SendFile;
let sentBytes = 0;

beforeAll(async () => {
  videos = await createGrowingFixture();
  const opened = await openSendFile((error) => {
    throw error;
  });
  if (opened === null) throw new Error('Expected sendfile on this system.');
  sendFile = {
    ...opened,
    send(socket, part) {
      const sent = opened.send(socket, part);
      sentBytes += sent;
      return sent;
    },
  };
  edge = await videos.open({ sendFile });
  key = await addSegments();
});
afterAll(async () => {
  await videos.closeEdges();
  await videos.close();
});

async function addSegments(): Promise<RenditionKey> {
  const added = await videos.addVideo();
  for (const [segment, bytes] of segments.entries()) {
    const entry = { prefixBytes: 100, payloadBytes: bytes.length - 100, samples: 96, startsSegment: true };
    const facts = { ...makeChunk(segment).facts, sizeBytes: bytes.length, fragmentTable: encodeFragmentTable([entry]) };
    await publishChunk(videos.database.db, videos.fixture.storage, added, { pieces: [bytes], facts });
  }
  return added;
}

const pathOf = (segment: number) => new URL(videos.segmentOf(edge, key, segment)).pathname;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function ask(options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: edge.port, ...options }, resolve)
      .on('error', reject)
      .end();
  });
}

type SegmentRequest = { segment: number; start: number; end: number; headers: Record<string, string> };

function drawRequest(dice: Random): SegmentRequest {
  const segment = dice.below(SIZES.length);
  const size = SIZES[segment] ?? 0;
  if (dice.below(3) === 0) return { segment, start: 0, end: size, headers: {} };
  const start = dice.below(size);
  const end = start + 1 + dice.below(size - start);
  return { segment, start, end, headers: { range: `bytes=${start}-${end - 1}` } };
}

/** Requests, reads everything and compares it, or disconnects in the middle. */
async function playClient(agent: Agent, dice: Random, requests: number): Promise<void> {
  for (let count = 0; count < requests; count += 1) {
    const { segment, start, end, headers } = drawRequest(dice);
    const does = dice.below(10);
    const method = does === 0 ? 'HEAD' : 'GET';
    const response = await ask({ agent, method, path: pathOf(segment), headers });
    expect(Number(response.headers['content-length'])).toBe(end - start);
    if (does === 1) {
      response.once('data', () => response.destroy());
      await new Promise((resolve) => response.once('close', resolve));
      continue;
    }
    const hash = createHash('sha256');
    for await (const part of response) {
      hash.update(part);
      if (does === 2) await sleep(1);
    }
    const expected = method === 'HEAD' ? Buffer.alloc(0) : segments[segment]?.subarray(start, end);
    expect(hash.digest('hex')).toBe(hashOf(expected ?? Buffer.alloc(0)));
  }
}

test('500 mixed requests on kept-alive connections return exact bytes while other clients read slowly', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 30 });
  sentBytes = 0;
  await Promise.all(Array.from({ length: 30 }, (_, number) => playClient(agent, seededRandom(number), 17)));
  agent.destroy();
  // Nearly all bytes are sent by sendfile: only a few are not each time a socket was full.
  expect(sentBytes).toBeGreaterThan(1e8);
  expect(edge.lines).toEqual([]);
});

/** Sends requests without waiting for responses and reads all responses, at most `stepBytes` after each wait. */
async function pipeline(requests: readonly SegmentRequest[], stepBytes: number | null): Promise<Buffer> {
  const socket = connect({ port: edge.port, host: '127.0.0.1' });
  const parts: Buffer[] = [];
  for (const [index, { segment, headers }] of requests.entries()) {
    const range = headers.range === undefined ? '' : `Range: ${headers.range}\r\n`;
    const last = index === requests.length - 1 ? 'Connection: close\r\n' : '';
    socket.write(`GET ${pathOf(segment)} HTTP/1.1\r\nHost: edge\r\n${range}${last}\r\n`);
  }
  for await (const part of socket) {
    parts.push(part);
    if (stepBytes !== null && part.length >= stepBytes) await sleep(2);
  }
  return Buffer.concat(parts);
}

/** Extracts the bodies of the responses from the bytes of a connection. */
function bodiesOf(stream: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = stream.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/content-length: (\d+)/i.exec(stream.toString('latin1', at, end))?.[1]);
    bodies.push(stream.subarray(end, end + length));
    at = end + length;
  }
  return bodies;
}

test('pipelined requests get complete responses in order', async () => {
  const dice = seededRandom(77);
  for (let round = 0; round < 10; round += 1) {
    const requests = Array.from({ length: 8 }, () => drawRequest(dice));
    const bodies = bodiesOf(await pipeline(requests, null));
    const expected = requests.map(({ segment, start, end }) => segments[segment]?.subarray(start, end));
    expect(bodies.map(hashOf)).toEqual(expected.map((bytes) => hashOf(bytes ?? Buffer.alloc(0))));
  }
});

test('200 concurrent slow readers each get every byte', async () => {
  const whole: SegmentRequest = { segment: 1, start: 0, end: 700_001, headers: {} };
  const expected = hashOf(segments[1] ?? Buffer.alloc(0));
  const answers = await Promise.all(Array.from({ length: 200 }, () => pipeline([whole, whole], 16_384)));
  for (const answer of answers) expect(bodiesOf(answer).map(hashOf)).toEqual([expected, expected]);
});

test('a client that stops reading is cut off after the idle time', async () => {
  const impatient = await videos.open({ sendFile, limits: { idleMs: 300 } });
  const socket = connect({ port: impatient.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.pause();
  for (let count = 0; count < 12; count += 1) socket.write(`GET ${pathOf(0)} HTTP/1.1\r\nHost: edge\r\n\r\n`);
  await sleep(1_500);
  let received = 0;
  socket.on('data', (part) => {
    received += part.length;
  });
  socket.resume();
  await closed;
  expect(received).toBeLessThan(12 * 2_500_003);
});

test.each([
  ['in memory', true],
  ['not in memory', false],
])('%s: a file that is truncated while it is sent breaks the connection', async (_, isNear) => {
  const other = await videos.open({ sendFile: isNear ? sendFile : { ...sendFile, isInMemory: () => false } });
  const mine = await addSegments();
  const whole = Buffer.from(await (await fetch(videos.segmentOf(other, mine, 0))).arrayBuffer());
  expect(hashOf(whole)).toBe(hashOf(segments[0] ?? Buffer.alloc(0)));
  const file = path.join(videos.fixture.folder, `${videos.libraryId}`, mine.mediaId, mine.renditionId, '0-1.cmaf');
  truncateSync(file, 1_000_000);
  const response = await fetch(videos.segmentOf(other, mine, 0));
  expect(response.headers.get('content-length')).toBe('2500003');
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect(other.lines.some(({ level }) => level === 'error')).toBe(true);
  const range = { headers: { range: 'bytes=100-199' } };
  const part = Buffer.from(await (await fetch(videos.segmentOf(other, mine, 0), range)).arrayBuffer());
  expect(part.equals(segments[0]?.subarray(100, 200) ?? Buffer.alloc(0))).toBe(true);
});
