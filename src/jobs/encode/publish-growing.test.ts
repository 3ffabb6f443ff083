import { expect, test } from 'vitest';
import { publishGrowing } from './publish-growing.ts';

/** Returns a publish function that is pending until the test settles it. */
function held() {
  const calls: PromiseWithResolvers<void>[] = [];
  const publish = () => {
    const call = Promise.withResolvers<void>();
    calls.push(call);
    return call.promise;
  };
  return { calls, publish };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('publishes each time that every output has one more segment, except after the last segment', async () => {
  const { calls, publish } = held();
  const growth = publishGrowing(2, 3, publish);
  growth.made(0);
  growth.made(0);
  expect(calls).toHaveLength(0);
  growth.made(1);
  expect(calls).toHaveLength(1);
  calls[0]?.resolve();
  await turn();
  growth.made(1);
  expect(calls).toHaveLength(2);
  calls[1]?.resolve();
  await turn();
  growth.made(0);
  growth.made(1);
  await growth.end();
  expect(calls).toHaveLength(2);
});

test('publishes segments that were added during a publication in one batch after it', async () => {
  const { calls, publish } = held();
  const growth = publishGrowing(1, 5, publish);
  for (let n = 0; n < 3; n += 1) growth.made(0);
  expect(calls).toHaveLength(1);
  calls[0]?.resolve();
  await turn();
  growth.made(0);
  expect(calls).toHaveLength(2);
  calls[1]?.resolve();
  await growth.end();
});

test('does not publish after end(), even if unpublished segments remain', async () => {
  const { calls, publish } = held();
  const growth = publishGrowing(2, 5, publish);
  for (const at of [0, 1, 0, 1, 0]) growth.made(at);
  expect(calls).toHaveLength(1);
  const end = growth.end();
  calls[0]?.resolve();
  await end;
  growth.made(1);
  expect(calls).toHaveLength(1);
});

test('end() waits for a running publication and throws its error, and so does the next made()', async () => {
  const { calls, publish } = held();
  const growth = publishGrowing(1, 5, publish);
  growth.made(0);
  const end = growth.end();
  calls[0]?.reject(new Error('no room'));
  await expect(end).rejects.toThrow('no room');
  expect(() => growth.made(0)).toThrow('no room');
  expect(calls).toHaveLength(1);
});
