import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { allowedHeaders } from './cors.ts';

test.each([
  [undefined, 'AccessKey'],
  ['', 'AccessKey'],
  ['accesskey, x-mine,X-Mine,', 'AccessKey, x-mine, X-Mine'],
  ['x-good, bad name, x:y, \u00fc, x\r\ny', 'AccessKey, x-good'],
  [
    Array.from({ length: 100 }, (_, n) => `h${n}`).join(),
    `AccessKey, ${Array.from({ length: 64 }, (_, n) => `h${n}`).join(', ')}`,
  ],
])('a preflight for %j is allowed %j', (requested, expected) => {
  // The only part of a request that is read.
  const request = { headers: { 'access-control-request-headers': requested } } as unknown as IncomingMessage;
  expect(allowedHeaders(request, ['AccessKey'])).toBe(expected);
});
