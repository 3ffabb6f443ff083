import { expect, test } from 'vitest';
import { emptyHistory, recordChange, redoChange, undoChange } from './history.ts';

test('changes are undone in reverse and redone in order', () => {
  let history = recordChange(recordChange(emptyHistory<number>(), 0, null), 1, null);
  let now = 2;
  const seen: number[] = [];
  for (const move of [undoChange, undoChange, redoChange, redoChange]) {
    const step = move(history, now);
    expect(step).not.toBeNull();
    if (step === null) return;
    ({ history, value: now } = step);
    seen.push(now);
  }
  expect(seen).toEqual([1, 0, 1, 2]);
  expect(redoChange(history, now)).toBeNull();
});

test('the moves of one drag are undone together, the next drag is separate', () => {
  let history = emptyHistory<number>();
  for (const [before, key] of [
    [0, 'drag 1'],
    [1, 'drag 1'],
    [2, 'drag 2'],
  ] as const)
    history = recordChange(history, before, key);
  expect(history.past).toEqual([0, 2]);
});

test('a change after an undo cannot be redone, and does not join the drag before it', () => {
  const history = recordChange(emptyHistory<number>(), 0, 'drag');
  const undone = undoChange(history, 1);
  if (undone === null) throw new Error('Expected a change to undo.');
  const changed = recordChange(undone.history, undone.value, 'drag');
  expect([changed.past, changed.future]).toEqual([[0], []]);
});

test('only the last two hundred changes can be undone', () => {
  let history = emptyHistory<number>();
  for (let value = 0; value < 1000; value += 1) history = recordChange(history, value, null);
  expect([history.past.length, history.past[0]]).toEqual([200, 800]);
});
