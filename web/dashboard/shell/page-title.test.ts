import { expect, test } from 'vitest';
import { pageTitle } from './page-title.ts';

test('the title of a tab names the screen and its library', () => {
  expect(pageTitle({ name: 'videos', libraryId: 1 }, 'Films')).toBe('Videos – Films – Millrace');
  expect(pageTitle({ name: 'system' }, null)).toBe('System – Millrace');
  expect(pageTitle({ name: 'home' }, null)).toBe('Millrace');
});
