import { expect, test } from 'vitest';
import { readReturn } from './provider-attempt.ts';

test.each([
  ['/dashboard/library/1/videos?search=a', '/dashboard/library/1/videos?search=a'],
  ['/', '/'],
  ['/?page=2', '/?page=2'],
  ['https://evil.example/dashboard/people', '/'],
  ['//evil.example/dashboard/people', '/'],
  ['/\\evil.example/dashboard/', '/'],
  ['/dashboard/..//evil.example', '/'],
  ['\t//evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/videolibrary', '/'],
  ['/dashboardx', '/'],
  [`/dashboard/${'a'.repeat(1_000)}`, '/'],
])('after a sign-in, %j leads to %j', (sent, expected) => {
  expect(readReturn(sent)).toBe(expected);
});
