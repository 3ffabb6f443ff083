import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { addLibrary } from '../delivery/publish.ts';
import { createEdgeRoom, type EdgeRoom, type TestEdge } from '../delivery/start-test-edge.ts';
import { type Lab, loadMedia, loadRenditions, startLab, until, untilState, upload } from '../jobs/lab.ts';
import { performTask } from '../jobs/tasks.ts';

/** Workers, and edges that serve their output. */
export type OnDemandLab = Lab & { room: EdgeRoom };

export async function startOnDemandLab(): Promise<OnDemandLab> {
  const lab = await startLab();
  const room = await createEdgeRoom(lab.database);
  await noteStates(lab);
  return {
    ...lab,
    room,
    async stop() {
      await room.close();
      await lab.stop();
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
export async function holdRuns({ database: { db } }: Lab): Promise<() => Promise<void>> {
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
export function addOnDemandLibrary(lab: Lab, rungs: number[], encoding: Record<string, unknown> = {}): Promise<number> {
  return addLibrary(lab.database.db, { encoding: { rungs, jitEnabled: true, ...encoding } });
}

/** Uploads a clip and waits until all of it is available. */
export async function uploadReady(lab: Lab, libraryId: number, clip: string): Promise<MediaKey> {
  const key = await upload(lab, libraryId, clip);
  await untilState(lab, key, 'jit-ready');
  return key;
}

export async function findRung(lab: Lab, key: MediaKey, rung: number): Promise<Guid> {
  const found = (await loadRenditions(lab, key)).find((rendition) => rendition.rung === rung && rendition.active);
  if (found === undefined) throw new Error(`Expected a rendition of ${rung}p.`);
  return found.id;
}

export function segmentUrl({ base }: TestEdge, key: MediaKey, renditionId: Guid, segment: number): string {
  return `${base}/vz-${key.libraryId}/${key.mediaId}/r/${renditionId}/${segment}.m4s`;
}

/** Returns how many segment tasks have ever started. */
export async function countRuns(lab: Lab): Promise<number> {
  const { rows } = await sql<{ begun: number }>`select count(*) as begun from noted_run`.execute(lab.database.db);
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
async function noteStates({ database: { db } }: Lab): Promise<void> {
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
export async function followStates(lab: Lab, key: MediaKey, last: string): Promise<string[]> {
  await until(async () => [last, 'failed'].includes((await loadMedia(lab, key)).state), `the state ${last}`);
  const { rows } = await sql<{ state: string }>`
    select state from noted_state where media_id = ${key.mediaId} order by number
  `.execute(lab.database.db);
  return rows.map(({ state }) => state);
}

/** Deletes a video's row, so that it is not filled in while tests check others. */
export async function drop(lab: Lab, { mediaId }: MediaKey): Promise<void> {
  await lab.database.db.deleteFrom('media').where('id', '=', mediaId).execute();
}

/** Encodes the remaining segments immediately, without the usual pause. No other video may have such work. */
export async function fillIn(lab: Lab, { mediaId }: MediaKey, deps: JobDeps): Promise<void> {
  const tasks = await lab.database.db
    .selectFrom('encode_task')
    .select(['library_id as libraryId', 'media_id as mediaId', 'id as taskId'])
    .where('media_id', '=', mediaId)
    .where('kind', '=', 'backfill')
    .execute();
  for (const { libraryId, mediaId, taskId } of tasks) await performTask(deps, { libraryId, mediaId }, taskId);
}

/** Returns the requested and running work for a video, without encode tasks that only fill in. */
export async function countOpen(
  lab: Lab,
  { mediaId }: MediaKey,
): Promise<{ requests: number; runs: number; tasks: number }> {
  const { rows } = await sql<{ requests: number; runs: number; tasks: number }>`
    select (select count(*) from segment_request where media_id = ${mediaId}) as requests,
      (select count(*) from encode_task where media_id = ${mediaId} and kind = 'segment'
        and state in ('waiting', 'running')) as runs,
      (select count(*) from encode_task where media_id = ${mediaId} and kind not in ('backfill', 'segment')
        and state in ('waiting', 'running')) as tasks
  `.execute(lab.database.db);
  return rows[0] ?? { requests: 0, runs: 0, tasks: 0 };
}
