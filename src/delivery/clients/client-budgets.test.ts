import { expect, test } from 'vitest';
import { ClientBudgets } from './client-budgets.ts';

test('limits each client separately, and does not store idle clients', () => {
  const budgets = new ClientBudgets({ connections: 2, bytes: 10 });
  const take = (client: string) => budgets.take(client, 'connections');
  expect([take('a'), take('a'), take('a'), take('b')]).toEqual([true, true, false, true]);
  expect([budgets.take('a', 'bytes', 11), budgets.take('a', 'bytes', 10)]).toEqual([false, true]);
  budgets.give('a', 'connections');
  expect(take('a')).toBe(true);
  budgets.give('a', 'connections', 2);
  budgets.give('a', 'bytes', 10);
  budgets.give('b', 'connections');
  expect(budgets.clients).toBe(0);
  expect(() => budgets.give('b', 'connections')).toThrow(/hold/);
});
