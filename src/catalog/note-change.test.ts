import { expect, test } from 'vitest';
import { collectChanges, type NotedChange, noteChange } from './note-change.ts';

test('a request records at most 51 changes, and nothing is recorded outside a request', () => {
  const noted: NotedChange[] = [];
  const change = (index: number): NotedChange => ({ kind: 'secret', field: `key ${index}` });
  collectChanges(noted, () => {
    for (let index = 0; index < 52; index += 1) noteChange(change(index));
  });
  noteChange(change(52));
  expect(noted).toEqual(Array.from({ length: 51 }, (_, index) => change(index)));
});
