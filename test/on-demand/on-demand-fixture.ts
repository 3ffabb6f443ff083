import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { addLibrary } from '../delivery/publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from '../delivery/start-test-edge.ts';
import { performTask } from '../jobs/tasks.ts';
import {
  loadMedia,
  loadRenditions,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';

/** Workers, and edges that serve their output. */
export type OnDemandFixture = WorkerFixture & { edgeFixture: EdgeFixture };

export async function startOnDemandFixture(): Promise<OnDemandFixture> {
  const fixture = await startWorkerFixture();
  const edgeFixture = await createEdgeFixture(fixture.database);
  await noteStates(fixture);
  return {
    ...fixture,
    edgeFixture,
    async stop() {
      await edgeFixture.close();
      await fixture.stop();
    },
  };
}

/**
 * Limits for edges that wait for a segment indefinitely. Only a hang exceeds them. Half of `idleMs` ends an idle
 * connection.
 */
export const PATIENT = { segmentWaitMs: 150_000, idleMs: 320_000 };

/**
 * Extends requests and leases of runs by minutes. Otherwise a process busy with its viewers would seem dead, and
 * another run would begin. Call the returned function once runs are no longer counted.
 */
export async function holdRuns({ database: { db } }: WorkerFixture): Promise<() => Promise<void>> {
  for (const [table, column] of [
    ['encode_task', 'lease_until'],
    ['segment_request', 'wanted_until'],
  ] as const) {
    await sql
      .raw(`
        create function hold_${table}() returns trigger language plpgsql as
          $$ begin new.${column} := new.${column} + interval '5 minutes'; return new; end $$;
        create trigger hold before insert or update of ${column} on ${table}
          for each row execute function hold_${table}();
      `)
      .execute(db);
  }
  return async () => void (await sql`drop function hold_encode_task, hold_segment_request cascade`.execute(db));
}

/** Adds a library that encodes on demand. */
export function addOnDemandLibrary(
  fixture: WorkerFixture,
  rungs: number[],
  encoding: Record<string, unknown> = {},
): Promise<number> {
  return addLibrary(fixture.database.db, { encoding: { rungs, jitEnabled: true, ...encoding } });
}

/** Uploads a clip and waits until all of it is available. */
export async function uploadReady(fixture: WorkerFixture, libraryId: number, clip: string): Promise<MediaKey> {
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'jit-ready');
  return key;
}

export async function findRung(fixture: WorkerFixture, key: MediaKey, rung: number): Promise<Guid> {
  const found = (await loadRenditions(fixture, key)).find((rendition) => rendition.rung === rung && rendition.active);
  if (found === undefined) throw new Error(`Expected a rendition of ${rung}p.`);
  return found.id;
}

export function segmentUrl({ base }: TestEdge, key: MediaKey, renditionId: Guid, segment: number): string {
  return `${base}/vz-${key.libraryId}/${key.mediaId}/r/${renditionId}/${segment}.m4s`;
}

/** Returns how many segment tasks have ever started. */
export async function countRuns(fixture: WorkerFixture): Promise<number> {
  const { rows } = await sql<{ begun: number }>`select count(*) as begun from noted_run`.execute(fixture.database.db);
  return rows[0]?.begun ?? 0;
}

export type Fetched = { status: number; retryAfter: string | undefined; body: Buffer };

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** Fetches without a limit on connections. The signal disconnects like a viewer who closes the page. */
export function fetchFile(url: string, signal?: AbortSignal): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...(signal === undefined ? {} : { signal }) }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          body: Buffer.concat(parts),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Retries as often as the response requests, like players. */
export async function fetchPatiently(url: string): Promise<Buffer> {
  for (;;) {
    const { status, body, retryAfter } = await fetchFile(url);
    if (status === 200) return body;
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '2' });
  }
}

/**
 * Makes the database record each state of each video and each run of a segment task, because polling would miss short
 * ones.
 */
async function noteStates({ database: { db } }: WorkerFixture): Promise<void> {
  await sql`create table noted_state (number bigserial, media_id uuid, state text)`.execute(db);
  await sql`
    create function note_state() returns trigger language plpgsql as $$
    begin
      insert into noted_state (media_id, state) values (new.id, new.state);
      return null;
    end $$
  `.execute(db);
  await sql`create trigger note_first after insert on media for each row execute function note_state()`.execute(db);
  await sql`
    create trigger note_next after update on media for each row
    when (old.state is distinct from new.state) execute function note_state()
  `.execute(db);
  await sql`create table noted_run (task_id uuid)`.execute(db);
  await sql`
    create function note_run() returns trigger language plpgsql as $$
    begin
      insert into noted_run (task_id) values (new.id);
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger note_run after update on encode_task for each row
    when (new.kind = 'segment' and new.state = 'running' and old.state = 'waiting') execute function note_run()
  `.execute(db);
}

/** Waits for a state and returns all states of a video since it was created. */
export async function followStates(fixture: WorkerFixture, key: MediaKey, last: string): Promise<string[]> {
  await until(async () => [last, 'failed'].includes((await loadMedia(fixture, key)).state), `the state ${last}`);
  const { rows } = await sql<{ state: string }>`
    select state from noted_state where media_id = ${key.mediaId} order by number
  `.execute(fixture.database.db);
  return rows.map(({ state }) => state);
}

/** Deletes a video's row, so that its backfill does not run while tests check other videos. */
export async function drop(fixture: WorkerFixture, { mediaId }: MediaKey): Promise<void> {
  await fixture.database.db.deleteFrom('media').where('id', '=', mediaId).execute();
}

/** Encodes the remaining segments immediately, without the usual pause. No other video may have such work. */
export async function fillIn(fixture: WorkerFixture, { mediaId }: MediaKey, deps: JobDeps): Promise<void> {
  const tasks = await fixture.database.db
    .selectFrom('encode_task')
    .select(['library_id as libraryId', 'media_id as mediaId', 'id as taskId'])
    .where('media_id', '=', mediaId)
    .where('kind', '=', 'backfill')
    .execute();
  for (const { libraryId, mediaId, taskId } of tasks) await performTask(deps, { libraryId, mediaId }, taskId);
}

/** Returns the requested and running work for a video, without backfill tasks. */
export async function countOpen(
  fixture: WorkerFixture,
  { mediaId }: MediaKey,
): Promise<{ requests: number; runs: number; tasks: number }> {
  const { rows } = await sql<{ requests: number; runs: number; tasks: number }>`
    select (select count(*) from segment_request where media_id = ${mediaId}) as requests,
      (select count(*) from encode_task where media_id = ${mediaId} and kind = 'segment'
        and state in ('waiting', 'running')) as runs,
      (select count(*) from encode_task where media_id = ${mediaId} and kind not in ('backfill', 'segment')
        and state in ('waiting', 'running')) as tasks
  `.execute(fixture.database.db);
  return rows[0] ?? { requests: 0, runs: 0, tasks: 0 };
}
