import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIVE_SETTINGS } from '../../../test/live/live-service.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { startStream, stopStream } from '../../catalog/live/live-stream.ts';
import { commitSegments, openPeriod } from '../../catalog/live/publishing/period-store.ts';
import { createPublishStore } from '../../catalog/live/publishing/publish-store.ts';
import { sealOwned } from '../../catalog/live/recording/seal-store.ts';
import { createLiveStore } from '../../catalog/live/streams/live-store.ts';
import { createPublicationStore } from '../../catalog/publications/publication-store.ts';
import { chunkKeys } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import { PartWriter } from '../../media/live/packaging/part-writer.ts';
import { aacConfig } from '../../media/live/tracks/aac-config.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { avcConfig } from '../../media/live/tracks/video-config.ts';
import { computeSegmentRun, runLength } from '../../media/presentation/segment-run.ts';
import { periodRenditionOf } from './period-rendition.ts';

const AVC_RECORD = '0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8';
const PICTURES = avcConfig(Buffer.from(AVC_RECORD, 'hex'), 25);
const AAC_LC_STEREO = aacConfig(Buffer.from([0x11, 0x90]));

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** Opens a started stream with a period of one track and an expired lease. */
async function openUnrenewed(track: TrackConfig) {
  const { db } = database;
  const deps = { db, secretBox: createSecretBox(Buffer.alloc(32, 7)) };
  const libraryId = await addLibraryRow(db);
  const streams = createLiveStore(deps);
  const { stream, streamKey } = await streams.create({ ...LIVE_SETTINGS, libraryId });
  const key = { libraryId, mediaId: stream.id };
  const { lease } = await createPublishStore(deps).authorise(streamKey, {
    id: newGuid(),
    feedUrl: 'http://127.0.0.1:1',
  });
  await streams.change(key, startStream);
  const renditions = [periodRenditionOf(track, 'pass-through')];
  const wanted = { firstSequence: 0, isPreview: false, parameters: '', startMs: null, renditions };
  await openPeriod(db, lease, wanted, { widthPx: 0, heightPx: 0, frameRate: 0 });
  await sql`update live_lease set lease_until = now() - interval '1 minute' where stream_id = ${stream.id}`.execute(db);
  return { streams, key, lease, track, renditionId: renditions[0]?.id ?? newGuid() };
}

type Opened = Awaited<ReturnType<typeof openUnrenewed>>;

/** Returns a one-second segment that is stored but has no row. */
function segmentOf({ lease, renditionId, track: { kind, timescale } }: Opened, number: number) {
  const writer = new PartWriter({ kind, timescale, frameTicks: 0 }, number);
  const frame = { durationTicks: timescale, sizeBytes: 5, isSync: true, compositionOffsetTicks: 0 };
  writer.add(number * timescale, { ...frame, bytes: Buffer.from('frame') });
  writer.endPart();
  const segment = writer.endSegment()?.segment;
  if (segment === undefined) throw new Error('Expected a segment from the packager, got none.');
  const { facts, idx } = buildChunk([segment], number);
  const { object } = chunkKeys(lease.key, renditionId, number, lease.attempt);
  return { lease, renditionId, facts, storageKey: object, idxBytes: idx.length, wallMs: 1_000 * number };
}

test.each([
  { name: 'only the first audio', track: AAC_LC_STEREO, before: [0, 1], after: [2, 3] },
  { name: 'only the first video', track: PICTURES, before: [0, 1], after: [2, 3] },
  { name: 'nothing', track: AAC_LC_STEREO, before: [], after: [0, 1, 2, 3] },
])(
  'a video includes segments that the previous owner still held when another process ended the stream with $name',
  async ({ track, before, after }) => {
    const opened = await openUnrenewed(track);
    const { streams, key, lease } = opened;
    const { db } = database;
    const segments = (numbers: readonly number[]) => numbers.map((number) => segmentOf(opened, number));
    if (before.length > 0) await commitSegments(db, segments(before));
    const stopped = await streams.change(key, stopStream);
    expect(stopped).toMatchObject({ isVideo: before.length > 0, stream: { state: 'ended' } });
    const publications = createPublicationStore(db);
    const known = await publications.load(key, null);
    expect(await commitSegments(db, segments(after))).toEqual([]);
    // Until the timeline is complete, an edge shows the segments that have rows.
    const meanwhile = await publications.load(key, null);
    const pictures = meanwhile?.renditions.filter(({ kind }) => kind === 'video') ?? [];
    expect(pictures.map((one) => runLength(computeSegmentRun(one)))).toEqual(pictures.map(() => before.length));
    expect(await sealOwned(db, lease)).toBe(true);
    expect(await streams.load(key)).toMatchObject({ isVideo: true, stream: { state: 'ended' } });
    // Tests an edge that already had the publication, one that loaded it in the meantime, and one that loads it now.
    for (const from of [known, meanwhile, null]) {
      const shown = await publications.load(key, from);
      expect(shown).toMatchObject({ durationMs: 4_000 });
      expect(shown?.renditions[0]?.cutList.startTicks).toEqual([0, 1, 2, 3].map((second) => second * track.timescale));
      expect(shown?.renditions[0]?.chunks.map(({ firstSegment }) => firstSegment)).toEqual([0, 1, 2, 3]);
    }
    expect(await sealOwned(db, lease)).toBe(false);
  },
);

test('late segments do not make the joined timeline of a recording the shown one', async () => {
  const opened = await openUnrenewed(AAC_LC_STEREO);
  const { streams, key, lease } = opened;
  const { db } = database;
  const segments = (numbers: readonly number[]) => numbers.map((number) => segmentOf(opened, number));
  await commitSegments(db, segments([0, 1]));
  await streams.change(key, stopStream);
  await sql`
    insert into timeline (library_id, media_id, id, grid, timescale, start_ticks, end_ticks, active)
    values (${key.libraryId}, ${key.mediaId}, ${newGuid()}, 'source', 1, '{0}', 60, false)`.execute(db);
  await commitSegments(db, segments([2, 3]));
  expect(await sealOwned(db, lease)).toBe(true);
  const shown = await createPublicationStore(db).load(key, null);
  expect(shown?.renditions.map(({ id, isActive }) => ({ id, isActive }))).toEqual([
    { id: opened.renditionId, isActive: true },
  ]);
});
