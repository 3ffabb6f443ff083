import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { defineJob } from '../queue/define-job.ts';
import { openQueue } from '../queue/queue.ts';
import { pastFailures } from './past-failures.ts';

const never = new AbortController().signal;
const nothing = async () => {};
const refuse = async (name: string) => {
  throw new Error(`${name} could not be deleted.`, { cause: new Error(`The store refused ${name}.`) });
};

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('the log line of a failed job includes the causes of its failed steps', async () => {
  const log = captureLog(['warn']);
  const queue = await openQueue({ pool: database.pool, onError: () => undefined });
  const steps = [nothing, () => pastFailures(['one', 'other'], refuse, never), () => refuse('third')];
  const tidy = defineJob<object, null>({
    name: 'tidy',
    queue: 'quick',
    retryLimit: 0,
    run: (_, __, signal) => pastFailures(steps, (step) => step(), signal),
  });
  try {
    await queue.run([tidy], null, { quickSlots: 1, longSlots: 0 });
    await database.db.transaction().execute(queue.send(tidy, {}));
    await expect.poll(() => log.named('job.failed')).toHaveLength(1);
    const text = JSON.stringify(log.named('job.failed'));
    expect(text).toContain('2 of 3 failed');
    for (const name of ['one', 'other', 'third']) expect(text).toContain(`The store refused ${name}.`);
    expect(text.length).toBeLessThan(10_000);
  } finally {
    await queue.close();
  }
});

test('reports a few of many failures and stops after ten consecutive ones', async () => {
  const names = Array.from({ length: 300 }, (_, n) => `${n} ${'x'.repeat(1000)}`);
  let requested = 0;
  const count = async (name: string) => {
    requested += 1;
    await refuse(name);
  };
  const error: Error = await pastFailures(names, count, never).then(nothing, (failure) => failure);
  expect(error.message).toMatch(/^10 of 10 failed, the rest was left: 0 x/);
  expect(error.message.length).toBeLessThan(3_000);
  expect(error.cause).toMatchObject({ message: expect.stringMatching(/^0 x/) });
  expect(requested).toBe(10);
});

test('continues after failures that are not consecutive', async () => {
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const done = pastFailures(numbers, async (n) => (n % 10 === 9 ? undefined : refuse(`${n}`)), never);
  await expect(done).rejects.toThrow('90 of 100 failed, the other changes were made: 0 could not be deleted');
});

async function* brokenList() {
  yield 'one';
  throw new Error('The list is incomplete.');
}

test('reports failures even if the iteration throws or the run is aborted', async () => {
  const broken = pastFailures(brokenList(), refuse, never);
  await expect(broken).rejects.toThrow(/^1 of 1 failed, .*The list is incomplete.*The store refused one\.$/);
  await expect(pastFailures(brokenList(), nothing, never)).rejects.toThrow(/^The list is incomplete\.$/);
  const stopping = new AbortController();
  const refuseAndStop = async (name: string) => {
    stopping.abort(new Error('The worker is stopping.'));
    await refuse(name);
  };
  const aborted = pastFailures(['one', 'other'], refuseAndStop, stopping.signal);
  await expect(aborted).rejects.toThrow(/^1 of 1 failed, .*The worker is stopping.*The store refused one\.$/);
});
