import { expect, test } from 'vitest';
import { collectChanges, type NotedChange, noteChange } from './note-change.ts';

test('a request records at most 50 changes, and nothing is recorded outside a request', () => {
  const noted: NotedChange[] = [];
  const change = (index: number): NotedChange => ({ kind: 'secret', field: `key ${index}` });
  collectChanges(noted, () => {
    for (let index = 0; index < 51; index += 1) noteChange(change(index));
  });
  noteChange(change(51));
  expect(noted).toEqual(Array.from({ length: 50 }, (_, index) => change(index)));
});
