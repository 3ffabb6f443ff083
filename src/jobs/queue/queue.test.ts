import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { Refused } from '../../lib/refused.ts';
import { StorageAway } from '../../ports/storage.ts';
import { defineJob } from './define-job.ts';
import { type AnyJob, type JobQueue, openQueue, openSendOnlyQueue } from './queue.ts';

/** Maximum wait for jobs. Shorter than the slow poll of a slot, so that no test passes because of that poll. */
const MAX_WAIT_MS = 30_000;

type Seen = { log: string[] };
const errors: Error[] = [];
let database: TestDatabase;
let queue: JobQueue;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());
afterEach(() => queue.close());

async function start(jobs: AnyJob<Seen>[], quickSlots = 1, longSlots = 1): Promise<Seen> {
  queue = await openQueue({ pool: database.pool, onError: (error) => errors.push(error) });
  const seen: Seen = { log: [] };
  await queue.run(jobs, seen, { quickSlots, longSlots });
  return seen;
}

async function until(isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + MAX_WAIT_MS;
  while (performance.now() < endMs) {
    if (isTrue()) return;
    await sleep(10);
  }
  throw new Error(`Expected the condition to hold within ${MAX_WAIT_MS} ms.`);
}

const note = defineJob<{ text: string }, Seen>({
  name: 'note',
  queue: 'quick',
  retryLimit: 0,
  run: async ({ text }, { log }) => {
    log.push(text);
  },
});

test('sends a job when the transaction commits, but not when it rolls back', async () => {
  const seen = await start([note]);
  await database.db.transaction().execute(queue.send(note, { text: 'kept' }));
  const undone = database.db.transaction().execute(async (tx) => {
    await queue.send(note, { text: 'undone' })(tx);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await database.db.transaction().execute(queue.send(note, { text: 'last' }));
  await until(() => seen.log.includes('last'));
  expect(seen.log).toEqual(['kept', 'last']);
});

test('runs jobs with higher priority first, and drains a backlog without waiting for the next poll', async () => {
  const sender = await openSendOnlyQueue({ pool: database.pool, onError: (error) => errors.push(error) });
  await database.db.transaction().execute(async (tx) => {
    for (let n = 0; n < 30; n += 1) await sender.send(note, { text: `low ${n}` })(tx);
    await sender.send(note, { text: 'high' }, { priority: 5 })(tx);
  });
  await sender.close();
  const seen = await start([note]);
  await until(() => seen.log.length === 31);
  expect(seen.log[0]).toBe('high');
});

test('delayed jobs use all idle slots when they are due', async () => {
  const met = Promise.withResolvers<void>();
  let waiting = 0;
  const meet = defineJob<{ text: string }, Seen>({
    name: 'meet',
    queue: 'quick',
    retryLimit: 0,
    run: async ({ text }, { log }) => {
      waiting += 1;
      if (waiting === 3) met.resolve();
      await met.promise;
      log.push(text);
    },
  });
  const seen = await start([meet], 3);
  await database.db.transaction().execute(async (tx) => {
    for (const text of ['a', 'b', 'c']) await queue.send(meet, { text }, { delaySec: 1 })(tx);
  });
  // Each job ends only while all three run. Without a poll they would start a minute later.
  await until(() => seen.log.length === 3);
  expect(new Set(seen.log)).toEqual(new Set(['a', 'b', 'c']));
});

test('does not send a named job that is waiting or running', async () => {
  const sender = await openSendOnlyQueue({ pool: database.pool, onError: (error) => errors.push(error) });
  for (let n = 0; n < 3; n += 1) {
    await database.db.transaction().execute(sender.send(note, { text: 'once' }, { onlyOneNamed: 'x' }));
  }
  await database.db.transaction().execute(sender.send(note, { text: 'other' }));
  await sender.close();
  const seen = await start([note]);
  await until(() => seen.log.includes('other'));
  expect(seen.log).toEqual(['once', 'other']);
});

test('long jobs do not delay quick jobs', async () => {
  const long = defineJob<{ text: string }, Seen>({
    name: 'long',
    queue: 'long',
    retryLimit: 0,
    run: async ({ text }, { log }, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      log.push(text);
    },
  });
  const seen = await start([note, long]);
  await database.db.transaction().execute(async (tx) => {
    for (let n = 0; n < 3; n += 1) await queue.send(long, { text: 'long ended' })(tx);
  });
  await database.db.transaction().execute(queue.send(note, { text: 'quick' }));
  await until(() => seen.log.includes('quick'));
  expect(seen.log).toEqual(['quick']);
});

test('retries a failing job up to its limit, and does not retry a refused job', async () => {
  const failing = defineJob<{ text: string }, Seen>({
    name: 'failing',
    queue: 'quick',
    retryLimit: 1,
    run: async ({ text }, { log }) => {
      log.push(`run ${text}`);
      if (text === 'refused') throw new Refused('unprocessable', 'It cannot be done.');
      throw new Error('It broke.');
    },
    giveUp: async ({ text }, { log }, reason) => {
      log.push(`gave up ${text}: ${reason}`);
    },
  });
  const seen = await start([failing], 2);
  await database.db.transaction().execute(queue.send(failing, { text: 'refused' }));
  await until(() => seen.log.length === 2);
  expect(seen.log).toEqual(['run refused', 'gave up refused: It cannot be done.']);
  await database.db.transaction().execute(queue.send(failing, { text: 'broken' }));
  await until(() => seen.log.length === 5);
  expect(seen.log.slice(2)).toEqual(['run broken', 'run broken', 'gave up broken: It broke.']);
});

test('reports a refusal that the job does not handle', async () => {
  const refused = defineJob<{ text: string }, Seen>({
    name: 'refused',
    queue: 'quick',
    retryLimit: 3,
    run: async ({ text }, { log }) => {
      log.push(text);
      throw new Refused('conflict', 'The video is locked.');
    },
  });
  const seen = await start([refused]);
  const log = captureLog(['warn']);
  await database.db.transaction().execute(queue.send(refused, { text: 'tried' }));
  await until(() => log.named('job.failed').length > 0);
  expect(seen.log).toEqual(['tried']);
  expect(log.named('job.failed')).toMatchObject([
    { name: 'refused', retries: false, err: { cause: { message: 'The video is locked.' } } },
  ]);
});

test('housekeeping does not wait for a backlog of jobs, and planning runs before the backlog', async () => {
  const ended = new AbortController();
  const busy = defineJob<object, Seen>({
    name: 'busy',
    queue: 'quick',
    retryLimit: 0,
    run: async (_, { log }, signal) => {
      log.push('busy');
      const any = AbortSignal.any([signal, ended.signal]);
      await new Promise((resolve) => any.addEventListener('abort', resolve, { once: true }));
    },
  });
  const tidy = defineJob<object, Seen>({
    ...note,
    name: 'tidy',
    queue: 'housekeeping',
    run: async (_, { log }) => void log.push('tidy'),
  });
  const plan = defineJob<object, Seen>({
    ...note,
    name: 'plan',
    priority: 5,
    run: async (_, { log }) => void log.push('plan'),
  });
  const seen = await start([busy, note, tidy, plan]);
  await database.db.transaction().execute(queue.send(busy, {}));
  await until(() => seen.log.includes('busy'));
  await database.db.transaction().execute(async (tx) => {
    await queue.send(note, { text: 'copy' })(tx);
    await queue.send(plan, {})(tx);
    await queue.send(tidy, {})(tx);
  });
  await until(() => seen.log.includes('tidy'));
  expect(seen.log).toEqual(['busy', 'tidy']);
  ended.abort();
  await until(() => seen.log.includes('copy'));
  expect(seen.log).toEqual(['busy', 'tidy', 'plan', 'copy']);
});

test('retries a postponed job without limit', async () => {
  const awaiting = defineJob<object, Seen>({
    name: 'awaiting',
    queue: 'quick',
    retryLimit: 0,
    run: async (_, { log }) => {
      log.push('run');
      if (log.length < 3) throw new StorageAway('No answer.');
    },
    giveUp: async (_, { log }) => void log.push('gave up'),
  });
  const seen = await start([awaiting]);
  await database.db.transaction().execute(queue.send(awaiting, {}));
  await until(() => seen.log.length === 3);
  expect(seen.log).toEqual(['run', 'run', 'run']);
});

test('returns a job of a newer version, which a newer worker then runs', async () => {
  const later = defineJob<object, Seen>({
    name: 'of-a-later-version',
    queue: 'quick',
    retryLimit: 0,
    run: async (_, { log }) => void log.push('run'),
    giveUp: async (_, { log }) => void log.push('gave up'),
  });
  await start([note]);
  await database.db.transaction().execute(queue.send(later, {}));
  const attempts = `select retry_limit from millrace_queue.job where data->>'job' = 'of-a-later-version'`;
  await expect
    .poll(async () => (await database.pool.query(attempts)).rows, { timeout: MAX_WAIT_MS })
    .toEqual([{ retry_limit: expect.toSatisfy((limit: number) => limit > 0) }]);
  await queue.close();
  const seen = await start([note, later]);
  await until(() => seen.log.length > 0);
  expect(seen.log).toEqual(['run']);
});
