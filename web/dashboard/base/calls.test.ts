import { afterEach, expect, test } from 'vitest';
import { calls, noteCall } from './calls.ts';

afterEach(() => {
  calls.value = [];
});

test('records a repeated call once, and a call with a different search separately', () => {
  const search = (query: string) => noteCall({ method: 'POST', path: '/shield/event-logs/1/search', body: { query } });
  for (const query of ['a', 'b', 'a', 'a']) search(query);
  noteCall({ method: 'GET', path: '/videolibrary', body: undefined });
  noteCall({ method: 'GET', path: '/videolibrary', body: undefined });
  expect(calls.value.map(({ method, body }) => [method, body])).toEqual([
    ['GET', undefined],
    ['POST', { query: 'a' }],
    ['POST', { query: 'b' }],
  ]);
});
