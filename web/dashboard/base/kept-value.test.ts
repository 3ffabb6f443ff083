import { afterEach, expect, test, vi } from 'vitest';
import { keptValue } from './kept-value.ts';

const words = () =>
  keptValue<readonly string[]>('words', [], (stored) => (Array.isArray(stored) ? stored.map(String) : null));

afterEach(() => vi.unstubAllGlobals());

test('a change keeps the changes of other tabs, and the next page has both', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
  });
  const [first, second] = [words(), words()];
  first.change((current) => [...current, 'rivers']);
  second.change((current) => [...current, 'mills']);
  expect(second.value).toEqual(['rivers', 'mills']);
  expect(words().value).toEqual(['rivers', 'mills']);
});

test('without storage, a value lasts as long as the page', () => {
  vi.stubGlobal('localStorage', undefined);
  const kept = words();
  kept.change((current) => [...current, 'rivers']);
  kept.change((current) => [...current, 'mills']);
  expect(kept.value).toEqual(['rivers', 'mills']);
});
