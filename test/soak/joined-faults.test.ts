import { rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { WAITING_FOR_SLOT } from '../../src/catalog/tasks/encode-task.ts';
import { completeRecordings } from '../../src/jobs/planning/complete-recordings.ts';
import { objectOf } from '../../src/ports/packed-key.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import {
  framesOf,
  type LivePlace,
  openLiveCatalogue,
  readText,
  startLive,
  type TestStream,
  until,
} from '../live/live-service.ts';
import { AAC, H264, makeTags, publishTags } from '../live/tag-publisher.ts';
import { expectNothingLeft, objectsOf, sweepOnce } from '../support/leftovers.ts';
import { discard, LIBRARY_KEY, startService } from '../support/service.ts';
import { type SmallDisk, startOnSmallDisk, whyNoMount } from '../support/small-disk.ts';
import { call, FINISHED, getVideo, untilVideo } from '../support/videos.ts';

const MIB = 2 ** 20;
const LENGTH_SEC = 4;
const RATE = 30;
const TRANSCODING = 3;
const HANG_MS = 150_000;
const refusal = await whyNoMount();
const note = refusal === null ? '' : ` (NOT APPLICABLE: ${refusal})`;

let place: LivePlace;
let disk: SmallDisk | null = null;
let objects: string;
beforeAll(async () => {
  if (refusal === null) disk = await startOnSmallDisk();
  const service = disk?.service ?? (await startService(null));
  objects = disk?.objects ?? objectsOf(service);
  place = { service, catalogue: await openLiveCatalogue(service) };
});
afterAll(async () => {
  await place.catalogue.database.close();
  await discard(place.service);
});

/** Records two periods of different sizes, and ends the stream. Their joined file is not planned yet. */
async function record(): Promise<TestStream> {
  const stream = await startLive(place);
  for (const size of ['320x180', '426x240']) {
    const tags = await makeTags(`faults-${size}`, { lengthSec: LENGTH_SEC, size, argv: [...H264, ...AAC] });
    await (await publishTags(stream.ingest, tags))();
  }
  const { streams } = place.catalogue;
  await streams.change(stream.key, stopStream);
  await until(async () => ((await streams.load(stream.key)).isVideo ? true : null), 'the recording');
  return stream;
}

const join = () => completeRecordings(place.catalogue.database, new AbortController().signal);

/** Returns the files with the published media of the last period, by kind. */
async function filesOf({ key }: TestStream, kind: 'video' | 'audio'): Promise<string[]> {
  const { rows } = await sql<{ key: StorageKey }>`
    select c.storage_key as key from chunk c
    join rendition r on r.library_id = c.library_id and r.media_id = c.media_id and r.id = c.rendition_id
    join live_period p on p.media_id = r.media_id and p.timeline_id = r.timeline_id
    where c.media_id = ${key.mediaId} and r.kind = ${kind} and r.origin = 'pass-through' and p.number = 1
    order by c.storage_key`.execute(place.catalogue.database.db);
  return [...new Set(rows.map((row) => path.join(objects, relativePathOf(objectOf(row.key)))))];
}

/** Waits until nothing is being encoded and no plan is due. Failed tasks are tried again, and the plan once. */
async function untilJoined(mediaId: string): Promise<void> {
  const { db } = place.catalogue.database;
  await until(
    async () => {
      await sweepOnce(place.service, objects);
      await join();
      const { rows } = await sql`
        select from live_stream s join media m on m.library_id = s.library_id and m.id = s.id
        where s.id = ${mediaId} and s.rungs_due_at is null and m.state = 'finished'`.execute(db);
      return rows.length > 0 ? true : null;
    },
    'the end of all tasks',
    HANG_MS,
  );
}

/** Checks that the MP4 file of a recording has all frames of both periods. */
async function expectFile({ base }: TestStream): Promise<void> {
  const address = `${base}/play_240p.mp4`;
  await until(async () => ((await fetch(address, { method: 'HEAD' })).ok ? true : null), address);
  expect(await framesOf(address)).toMatchObject({ errors: '', videoFrames: 2 * LENGTH_SEC * RATE });
}

const plays = async ({ base }: TestStream) => (await readText(`${base}/playlist.m3u8`))?.includes('#EXTM3U') === true;

test(
  'a recording that is deleted while it is joined leaves nothing behind',
  async () => {
    const stream = await record();
    await join();
    await until(async () => {
      const { rows } =
        await sql`select from encode_task where media_id = ${stream.key.mediaId} and state = 'running'`.execute(
          place.catalogue.database.db,
        );
      return rows.length > 0 ? true : null;
    }, 'a running task');
    await call(place.service, 'DELETE', `/library/${stream.key.libraryId}/videos/${stream.key.mediaId}?permanent=true`);
    await expectNothingLeft(place.service, objects);
  },
  HANG_MS,
);

test.each([
  {
    title: 'has bytes that no decoder reads',
    damage: async (file: string) => {
      const { size } = await stat(file);
      await writeFile(file, Buffer.alloc(size, 0x5a));
    },
  },
  { title: 'is truncated', damage: async (file: string) => truncate(file, Math.floor((await stat(file)).size / 2)) },
  { title: 'is missing', damage: (file: string) => rm(file) },
])(
  'a recording stays playable, and its messages explain why it has no MP4 file, if the media of a period $title',
  async ({ damage }) => {
    const stream = await record();
    const { mediaId } = stream.key;
    for (const file of await filesOf(stream, 'video')) await damage(file);
    await join();
    await untilJoined(mediaId);
    const video = await getVideo(place.service, mediaId);
    expect(video).toMatchObject({ status: FINISHED, hasMP4Fallback: false });
    // The second plan fails for the same reason, which is reported once.
    const told = video.transcodingMessages.filter(({ message }) => message.startsWith('MP4 could not be created: '));
    expect(told).toHaveLength(1);
    expect(await plays(stream)).toBe(true);
  },
  300_000,
);

test(
  'the joining of a recording cannot be cancelled, and continues',
  async () => {
    const stream = await record();
    const { libraryId, mediaId } = stream.key;
    await join();
    expect(await getVideo(place.service, mediaId)).toMatchObject({ status: TRANSCODING });
    const address = `${place.service.apiUrl}/library/${libraryId}/videos/${mediaId}/encode`;
    const answer = await fetch(address, { method: 'DELETE', headers: { AccessKey: LIBRARY_KEY } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('has no file of its own')]);
    await untilVideo(place.service, mediaId, ({ status }) => status === FINISHED, HANG_MS);
    await expectFile(stream);
  },
  HANG_MS,
);

test.skipIf(refusal !== null)(
  `a recording plays on a full disk, and is joined when the disk has space again${note}`,
  async () => {
    const stream = await record();
    const { mediaId } = stream.key;
    await disk?.leaveFree(MIB / 64);
    await join();
    const { db } = place.catalogue.database;
    await until(async () => {
      const { rows } = await sql`
        select from encode_task
        where media_id = ${mediaId} and state = 'waiting' and reason <> ${WAITING_FOR_SLOT}`.execute(db);
      return rows.length > 0 ? true : null;
    }, 'a task that waits for space');
    expect(await getVideo(place.service, mediaId)).toMatchObject({ status: TRANSCODING, transcodingMessages: [] });
    expect(await plays(stream)).toBe(true);
    await disk?.makeRoomy();
    await untilJoined(mediaId);
    await expectFile(stream);
  },
  300_000,
);
