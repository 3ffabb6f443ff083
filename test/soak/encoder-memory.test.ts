import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { checkFinished } from '../jobs/check-video.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';

const MIB = 2 ** 20;
/**
 * Memory limits. The first is enough for an encoder at 1440p (600 MiB), but not for 1440p and 1080p together (900 MiB).
 * The second is less than any encoder needs.
 */
const ONE_RUNG_BYTES = 720 * MIB;
const TOO_LITTLE_BYTES = 250 * MIB;
const LIMIT_SEC = 200;

let fixture: WorkerFixture;
let libraryId: number;
let clip: string;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 1080, 1440] } });
  const picture = ['-f', 'lavfi', '-i', 'testsrc=s=2560x1440:r=25:d=1'];
  clip = await makeClip(fixture, 'large.mkv', ...picture, '-c:v', 'mpeg4', '-q:v', '4');
});
afterAll(() => fixture.stop());

/**
 * Encodes the clip under a memory limit until it finishes or fails. Returns the failure reasons recorded in its tasks.
 */
async function encodeWithin(encoderMemoryBytes: number): Promise<{ key: MediaKey; noted: Set<string> }> {
  const worker = await fixture.startWorker();
  worker.deps.encoderMemoryBytes = encoderMemoryBytes;
  const key = await upload(fixture, libraryId, clip);
  const noted = new Set<string>();
  const isOver = async () => {
    const tasks = await fixture.database.db
      .selectFrom('encode_task')
      .select(['reason', 'failures', 'media_id'])
      .execute();
    for (const { reason, failures, media_id: id } of tasks)
      if (id === key.mediaId && failures > 0) noted.add(reason ?? '');
    return ['finished', 'failed'].includes((await loadMedia(fixture, key)).state);
  };
  await until(isOver, 'the video to be over', LIMIT_SEC);
  await worker.stop();
  return { key, noted };
}

test(
  'encodes one rung at a time after the encoder ran out of memory',
  async () => {
    const { key, noted } = await encodeWithin(ONE_RUNG_BYTES);
    expect([...noted].some((reason) => reason.startsWith('memory: '))).toBe(true);
    const made = await checkFinished(fixture, key);
    expect(made.map(({ rung, frames }) => `${rung} ${frames}`)).toEqual(['1440 25', '1080 25', '240 25']);
  },
  LIMIT_SEC * 1000,
);

test(
  'a video whose encoder always runs out of memory fails with that reason',
  async () => {
    const { key } = await encodeWithin(TOO_LITTLE_BYTES);
    const media = await loadMedia(fixture, key);
    expect([media.state, media.state_reason]).toEqual(['failed', 'memory']);
    expect(media.messages.at(-1)).toMatchObject({ level: 3, value: 'memory' });
  },
  LIMIT_SEC * 1000,
);
