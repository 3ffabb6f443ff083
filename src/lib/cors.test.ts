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
])('a preflight with %j allows %j', (requested, expected) => {
  // Only the part of a request that the function reads.
  const request = { headers: { 'access-control-request-headers': requested } } as unknown as IncomingMessage;
  expect(allowedHeaders(request, ['AccessKey'])).toBe(expected);
});
