import { expect, test, vi } from 'vitest';
import { CommitInDoubt } from './in-transaction.ts';
import { retryWhileAway } from './retry-while-away.ts';

const away = new Error('Connection terminated unexpectedly');
const inDoubt = new CommitInDoubt(away);
const stays = new AbortController().signal;
const failing = (...errors: readonly Error[]) => {
  const left = [...errors];
  return vi.fn(async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'done';
  });
};

test.each([
  { what: 'the database is down', errors: [away], isIdempotent: false, expected: 'done' },
  { what: 'a commit in doubt may be repeated', errors: [inDoubt], isIdempotent: true, expected: 'done' },
  { what: 'a commit in doubt may not be repeated', errors: [inDoubt], isIdempotent: false, expected: inDoubt.message },
  { what: 'the action fails otherwise', errors: [new Error('refused')], isIdempotent: true, expected: 'refused' },
])('repeats an action only while that can help: $what', async ({ errors, isIdempotent, expected }) => {
  const action = failing(...errors);
  const result = retryWhileAway(action, { isIdempotent, maxPauseMs: 500 }, stays);
  expect(await result.catch(({ message }: Error) => message)).toBe(expected);
  expect(action).toHaveBeenCalledTimes(expected === 'done' ? 2 : 1);
});

test('rejects with the last error when the signal aborts', async () => {
  const stop = new AbortController();
  const action = vi.fn(async () => {
    if (action.mock.calls.length === 2) stop.abort();
    throw away;
  });
  await expect(retryWhileAway(action, { isIdempotent: true, maxPauseMs: 500 }, stop.signal)).rejects.toBe(away);
  expect(action).toHaveBeenCalledTimes(2);
});
