import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readTrustedProxies } from './client-address.ts';
import { publicUrlOf } from './public-url.ts';

test.each([
  [{ host: 'video.example:7700' }, 'http://video.example:7700'],
  [{ host: '[::1]:7700' }, 'http://[::1]:7700'],
  [{ host: 'video.example', 'x-forwarded-proto': 'https' }, 'https://video.example'],
  [{ host: 'video.example', 'x-forwarded-proto': 'javascript' }, 'http://video.example'],
  [{ host: 'evil/path?x' }, 'http://10.0.0.1:80'],
  [{}, 'http://10.0.0.1:80'],
])('headers %j produce the public URL %s', (headers, expected) => {
  // Contains only the fields of a request that the function reads.
  const request = {
    headers,
    socket: { remoteAddress: '10.0.0.9', localAddress: '10.0.0.1', localPort: 80 },
  } as unknown as IncomingMessage;
  expect(publicUrlOf(request, readTrustedProxies(['10.0.0.9']))).toBe(expected);
});
