import type { MediaKey } from '../../src/catalog/db.ts';
import type { EdgeDeps } from '../../src/delivery/edge-deps.ts';
import type { ChunkFacts } from '../../src/media/cmaf/chunk.ts';
import { encodeFragmentTable } from '../../src/media/cmaf/fragment-table.ts';
import { normaliseInit } from '../../src/media/cmaf/init-segment.ts';
import { startTestDatabase } from '../support/database.ts';
import { encode, FRAGMENTED, splitStream } from '../support/media/read-test-media.ts';
import { addLibrary, addRendition, addTimeline, addVideo, publishChunk, type RenditionKey } from './publish.ts';
import { createEdgeFixture, type TestEdge } from './start-test-edge.ts';

const SEGMENT_TICKS = 4_000;
const SEGMENTS = 3;

/** Larger than the edge's memory cache limit, so that reads use the file or a stream. */
export const SEGMENT_BYTES = 600_000;

type PlainChunk = { bytes: Buffer; pieces: Buffer[]; facts: Omit<ChunkFacts, 'sha256'> };

/** Returns bytes that are not media, one segment per chunk. The edge must not depend on their content. */
export function makeChunk(segment: number): PlainChunk {
  const bytes = Buffer.alloc(SEGMENT_BYTES, `segment ${segment} `);
  const entry = { prefixBytes: 100, payloadBytes: bytes.length - 100, samples: 96, startsSegment: true };
  const facts = {
    firstSegment: segment,
    segmentCount: 1,
    sizeBytes: bytes.length,
    startTick: segment * SEGMENT_TICKS,
    durationTicks: SEGMENT_TICKS,
    fragmentTable: encodeFragmentTable([entry]),
    samples: 96,
    ctsRuns: 0,
    syncCount: 1,
    peakSegmentBps: 1,
  };
  return { bytes, pieces: [bytes], facts };
}

/** Joins two adjacent chunks into one, as a merge does. */
export function mergeChunks(first: PlainChunk, second: PlainChunk): PlainChunk {
  const fragmentTable = Buffer.concat([first.facts.fragmentTable, second.facts.fragmentTable]);
  const facts = { ...first.facts, segmentCount: 2, durationTicks: 2 * SEGMENT_TICKS, fragmentTable };
  const pieces = [...first.pieces, ...second.pieces];
  return { bytes: Buffer.concat(pieces), pieces, facts };
}

/** The plan of a timeline that is listed before its chunks are stored. */
export const plannedSegments = encodeFragmentTable(
  Array.from({ length: SEGMENTS }, () => ({ prefixBytes: 100, payloadBytes: 500, samples: 96, startsSegment: true })),
);

/** Creates a real init segment, because the catalogue parses it. */
async function makeInit(): Promise<Buffer> {
  const input = ['-f', 'lavfi', '-i', 'color=s=640x360', '-frames:v', '1', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
  return normaliseInit(splitStream(await encode([...input, ...FRAGMENTED])).init);
}

/** Creates a database, a folder, a library for videos of three segments, and edges that `close` closes. */
export async function createGrowingFixture() {
  const database = await startTestDatabase();
  const fixture = await createEdgeFixture(database);
  const libraryId = await addLibrary(database.db);
  const init = await makeInit();
  const edges: TestEdge[] = [];
  const closeEdges = async () => {
    for (const edge of edges.splice(0)) await edge.close();
  };
  const address = (edge: TestEdge, key: MediaKey, file: string) =>
    `${edge.base}/vz-${libraryId}/${key.mediaId}/${file}`;
  return {
    database,
    fixture,
    libraryId,
    address,
    segmentOf: (edge: TestEdge, key: RenditionKey, segment: number) =>
      address(edge, key, `r/${key.renditionId}/${segment}.m4s`),
    async open(change: Partial<EdgeDeps> = {}) {
      const edge = await fixture.start(change);
      edges.push(edge);
      return edge;
    },
    closeEdges,
    async addVideo(planned: Buffer | null = null): Promise<RenditionKey> {
      const key = await addVideo(database.db, libraryId);
      const startTicks = Array.from({ length: SEGMENTS }, (_, index) => index * SEGMENT_TICKS);
      const grid = { kind: 'source' } as const;
      const cutList = { timescale: 1_000, startTicks, endTicks: SEGMENTS * SEGMENT_TICKS, grid };
      const timelineId = await addTimeline(database.db, key, cutList);
      const what = { kind: 'video', init, codecString: 'avc1.64001e', timescale: 1_000 } as const;
      const track = { ...what, widthPx: 640, heightPx: 360 };
      return addRendition(database.db, key, { timelineId, track, planned });
    },
    publish: (key: RenditionKey, segment: number) =>
      publishChunk(database.db, fixture.storage, key, makeChunk(segment)),
    async close() {
      await closeEdges();
      await fixture.close();
      await database.stop();
    },
  };
}

export type GrowingFixture = Awaited<ReturnType<typeof createGrowingFixture>>;

export async function statusOf(address: string, headers: Record<string, string> = {}): Promise<number> {
  return (await fetch(address, { headers })).status;
}
