import { expect, test } from 'vitest';
import { TASK_KINDS } from '../../src/catalog/tasks/task-kind.ts';
import { queueName, TASK_NAMES, taskName, taskState } from '../../web/dashboard/base/task-words.ts';
import { de } from '../../web/dashboard/languages/de.table.ts';

test('every kind of encode task has its own translated name in the dashboard', () => {
  const sorted = (kinds: readonly string[]) => kinds.toSorted((first, second) => first.localeCompare(second));
  expect(sorted(Object.keys(TASK_NAMES))).toEqual(sorted(TASK_KINDS));
  const names = TASK_KINDS.map(taskName);
  expect(names.filter((name) => !Object.hasOwn(de, name))).toEqual([]);
  expect(new Set(names).size).toBe(TASK_KINDS.length);
});

test('states and queues of encode tasks have translated names in the dashboard', () => {
  const states = ['waiting', 'running', 'done', 'failed'].map(taskState);
  const queues = ['quick', 'long', 'viewers'].map(queueName);
  expect([...states, ...queues].filter((name) => !Object.hasOwn(de, name))).toEqual([]);
});
