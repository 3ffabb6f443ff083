import path from 'node:path';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { FfmpegFailed } from '../../src/media/ffmpeg/run-ffmpeg.ts';
import { captureLog } from '../support/capture-log.ts';
import { checkFinished } from './check-video.ts';
import { findEncoders, killEncoders } from './encoders.ts';
import {
  addLibrary,
  loadChunks,
  makeClip,
  startWorker,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
/** Connections of the worker alone, which break while those of the test stay up. */
let connections: Database;
let worker: Worker;
const used = new Set<pg.PoolClient>();

beforeAll(async () => {
  fixture = await startWorkerFixture();
  connections = openDatabase(fixture.database.config, () => undefined);
  connections.pool.on('acquire', (client) => used.add(client));
  const slots = { quickSlots: 4, longSlots: 1 };
  const onError = (error: Error) => fixture.errors.push(error);
  const cache = path.join(fixture.clips, 'cache');
  worker = await startWorker({ database: connections, storage: fixture.storage, cache, onError, slots });
});
afterAll(async () => {
  await worker.stop();
  await connections.close();
  await fixture.stop();
});

/** Delays the first commit that publishes partial output of a running encode task. */
async function slowFirstGrowth(): Promise<void> {
  await sql`
    create sequence growth minvalue 0 start 0;
    create function wait_in_commit() returns trigger language plpgsql as $$ begin
      if exists (select from encode_task where new.rendition_id = any(rendition_ids) and attempt = new.attempt
          and state = 'running' and from_segment = 0 and to_segment > 1)
        and nextval('growth') = 0 then perform pg_sleep(2); end if;
      return null;
    end $$;
    create constraint trigger wait_in_commit after insert on chunk deferrable initially deferred
      for each row execute function wait_in_commit()
  `.execute(fixture.database.db);
}

/** Waits until a connection is in that commit. Returns its process id. */
async function untilCommitting(): Promise<number> {
  let found: number | undefined;
  await until(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where wait_event = 'PgSleep'`.execute(fixture.database.db);
    found = rows[0]?.pid;
    return found !== undefined;
  }, 'a commit that takes a while');
  return found ?? 0;
}

function breakConnection(pid: number): void {
  const clients = [...used].filter((client) => Reflect.get(client, 'processID') === pid);
  expect(clients).toHaveLength(1);
  for (const client of clients) Reflect.get(client, 'connection').stream.destroy();
}

test('a commit whose response was lost keeps its published output, even if the encoder died', async () => {
  const log = captureLog(['warn', 'error']);
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=25:d=18', '-c:v', 'mpeg4', '-q:v', '5'];
  const clip = await makeClip(fixture, 'silent.avi', ...source);
  await slowFirstGrowth();
  const key = await upload(fixture, libraryId, clip);
  const committing = await untilCommitting();
  const { attempt } = await fixture.database.db
    .selectFrom('encode_task')
    .select('attempt')
    .where('media_id', '=', key.mediaId)
    .where('to_segment', '>', 1)
    .executeTakeFirstOrThrow();
  killEncoders(await findEncoders(process.pid));
  breakConnection(committing);
  await untilState(fixture, key, 'finished');
  const decoded = await checkFinished(fixture, key);
  expect(decoded.map(({ rung, frames, segments, warnings }) => ({ rung, frames, segments, warnings }))).toEqual([
    { rung: 360, frames: 450, segments: 5, warnings: '' },
    { rung: 240, frames: 450, segments: 5, warnings: '' },
  ]);
  // The output was kept, and a different error was reported.
  expect((await loadChunks(fixture, key)).map((chunk) => chunk.attempt)).toContain(attempt);
  expect(log.named('task.failed')).toContainEqual(
    expect.objectContaining({ err: expect.objectContaining({ type: FfmpegFailed.name }) }),
  );
});
