import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { startFeedServer } from '../../ingest/live/feed-server.ts';
import { newGuid } from '../../lib/guid.ts';
import { listen } from '../../lib/listen.ts';
import { writeFeedFrame } from '../../media/live/playlist/feed-message.ts';
import { LiveStreams } from './live-streams.ts';
import { type LiveDeps, type LiveRequest, serveLive } from './serve-live.ts';

const mediaId = newGuid();
const renditionId = newGuid();
const PARTS = 8;
/** A blocked request waits longer than a test of this file may last. */
const TARGET_SEC = 60;

const head: LiveHead = {
  state: 'running',
  isPublic: true,
  dvrWindowSec: null,
  feedUrl: null,
  isInterrupted: false,
  hasBegun: true,
  startsAtMs: null,
  trailerId: null,
  extent: null,
};
const plain = { rung: null, codecString: '', widthPx: 64, heightPx: 36, keyGroup: 'sd', ivPrefix: 0 } as const;
const source = { id: renditionId, kind: 'video', slot: 'source', timescale: 90_000, ...plain } as const;
const facts = { firstSequence: 10, isPreview: false, isLadderPending: false, startMs: null, targetSec: TARGET_SEC };
const period = { number: 0, frameRate: 25, renditions: [source], ...facts };
/** Contains only the fields of a publication that a clear playlist needs. */
const publication = { libraryId: 1, mediaId, packages: [], settings: { drm: 'none' } } as unknown as Publication;

function writePart(segment: number, part: number): Buffer[] {
  const startTick = (segment * PARTS + part) * 22_500;
  const times = { startTick, durationTicks: 22_500, samples: 1, isIndependent: part === 0, isLast: part === PARTS - 1 };
  return writeFeedFrame({ type: 'part', renditionId, segment, part, ...times }, Buffer.alloc(1));
}

/**
 * Starts the owner of a stream. `send` writes to all edges that watch it. The secret of the edges is the owner's second
 * one, as during a rotation of the secret key.
 */
async function startOwner() {
  const edges: ((pieces: readonly Buffer[]) => void)[] = [];
  const server = await startFeedServer({ host: '127.0.0.1', port: 0, secrets: () => ['new', 's'] }, (_, response) => {
    const send = (pieces: readonly Buffer[]) => pieces.forEach((piece) => void response.write(piece));
    send(writeFeedFrame({ type: 'publisher', isConnected: true }));
    send([...writeFeedFrame({ type: 'period', period }), ...writeFeedFrame({ type: 'snapshot' })]);
    edges.push(send);
    return true;
  });
  const send = (segment: number, part: number) => {
    for (const one of edges) one(writePart(segment, part));
  };
  return { port: server.port, send, close: () => server.close() };
}

/** Starts a relay to a port, which holds back everything while it is paused. */
async function startRelay(port: number) {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    far.on('data', (chunk) => near.write(chunk));
  });
  const bound = await listen(server, 0, '127.0.0.1');
  return {
    port: bound,
    pause: () => sockets.forEach((socket) => void socket.pause()),
    resume: () => sockets.forEach((socket) => void socket.resume()),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Opens an edge that watches the owner at a port. `read` returns a playlist, and blocks if it is asked to. */
function openEdge(port: number) {
  const recordViewers = async () => undefined;
  const streams = new LiveStreams({
    secret: () => ['s'] as const,
    recordViewers,
    loadStored: async () => ({ periods: [], segments: [] }),
  });
  // Clear playlists need no keys, sessions or storage.
  const current = { ...publication, live: { ...head, feedUrl: `http://127.0.0.1:${port}` } };
  const reader = { waitFor: async (_: Publication, look: (found: Publication) => unknown) => look(current) };
  const deps = { streams, reader } as unknown as LiveDeps;
  const read = async (query = '', changes: Partial<LiveHead> = {}) => {
    const request = {
      file: { kind: 'rendition-playlist', renditionId, session: null },
      query: new URLSearchParams(query),
      play: { viewer: 'v' },
      leave: () => new AbortController().signal,
    } as unknown as LiveRequest;
    const answer = await serveLive(publication, { ...current.live, ...changes }, request, deps);
    if (answer.kind === 'problem') return answer.problem.code;
    return answer.kind === 'bytes' ? answer.bytes.toString() : answer.kind;
  };
  return { read, close: () => streams.close() };
}

const countParts = (text: string) => text.match(/#EXT-X-PART:/g)?.length ?? 0;

test('an edge that lags several parts behind responds with the next part of a player from another edge', async () => {
  const owner = await startOwner();
  const relay = await startRelay(owner.port);
  const [near, late] = [openEdge(owner.port), openEdge(relay.port)];
  // The edges watch the stream from now on.
  await Promise.all([near, late].map(({ read }) => read()));
  for (let part = 0; part < PARTS; part += 1) owner.send(0, part);
  owner.send(1, 0);
  await Promise.all([near, late].map(({ read }) => read('_HLS_msn=11&_HLS_part=0')));
  relay.pause();
  for (const part of [1, 2, 3]) owner.send(1, part);
  expect(countParts(await near.read('_HLS_msn=11&_HLS_part=3'))).toBe(PARTS + 4);
  const next = late.read('_HLS_msn=11&_HLS_part=4');
  owner.send(1, 4);
  relay.resume();
  expect(countParts(await next)).toBe(PARTS + 5);
  for (const one of [near, late, relay]) one.close();
  await owner.close();
}, 20_000);

test('a player without low latency, which requests the last part of a segment, gets the whole segment', async () => {
  const owner = await startOwner();
  const edge = openEdge(owner.port);
  await edge.read();
  for (let part = 0; part < PARTS; part += 1) owner.send(0, part);
  owner.send(1, 0);
  await edge.read('_HLS_msn=11&_HLS_part=0');
  const next = edge.read(`_HLS_msn=11&_HLS_part=${PARTS - 1}`);
  for (let part = 1; part < PARTS; part += 1) owner.send(1, part);
  owner.send(2, 0);
  expect((await next).match(/#EXTINF/g)).toHaveLength(2);
  edge.close();
  await owner.close();
}, 20_000);

test('a player that waits for more of a segment learns after the others that the segment is complete', async () => {
  const owner = await startOwner();
  const edge = openEdge(owner.port);
  await edge.read();
  for (let part = 0; part < PARTS; part += 1) owner.send(0, part);
  await edge.read('_HLS_msn=10&_HLS_part=7');
  // The last part of segment 10 is listed, but hls.js has not loaded it yet.
  const responses: string[] = [];
  const read = async (name: string, query: string) => {
    expect(await edge.read(query)).toMatch(/#EXTINF.*\n0.m4s/);
    responses.push(name);
  };
  const waiting = [read('late', `_HLS_msn=10&_HLS_part=${PARTS}`), read('other', '_HLS_msn=11&_HLS_part=0')];
  owner.send(1, 0);
  await Promise.all(waiting);
  expect(responses).toEqual(['other', 'late']);
  edge.close();
  await owner.close();
}, 20_000);

test('an edge waits for a rendition of a process that only another edge knows yet', async () => {
  const owner = await startOwner();
  const edge = openEdge(owner.port);
  // The rendition is known, but has no media yet.
  expect(await edge.read('', { feedUrl: null })).toBe('not-playable');
  edge.close();
  await owner.close();
}, 20_000);
