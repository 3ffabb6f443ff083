import { beforeEach, expect, test } from 'vitest';
import { clearSelection, dropSelection, selection, turn } from './selection.ts';

const choose = (index: number, id: string) => turn(index, id, { isRange: false, idAt: () => undefined });

beforeEach(clearSelection);

test('a finished action keeps the videos that were selected while it ran', () => {
  choose(0, 'first');
  const sent = selection.value;
  choose(1, 'second');
  dropSelection(sent);
  expect(selection.value).toEqual({ kind: 'some', ids: new Set(['second']) });
});
