import { expect, test } from 'vitest';
import { addEdits, changedKeys } from './edits.ts';

type Fields = { title: string; tags: readonly string[] };
const base: Fields = { title: 'Old', tags: ['sea'] };

test('a field with its stored value does not count as edited', () => {
  const typed = addEdits<Fields>({}, { title: 'Older' }, base);
  expect(typed).toEqual({ title: 'Older' });
  expect(addEdits(typed, { title: 'Old', tags: ['sea', 'dawn'] }, base)).toEqual({ tags: ['sea', 'dawn'] });
  expect(addEdits<Fields>({}, { tags: ['sea'] }, base)).toEqual({});
});

test('finds the fields that differ from the stored value', () => {
  expect(changedKeys<Fields>({ title: 'Old', tags: [] }, base)).toEqual(['tags']);
});
