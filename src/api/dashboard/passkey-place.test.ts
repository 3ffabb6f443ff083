import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { NO_ADDRESSES } from '../../lib/client-address.ts';
import { passkeyPlace } from './passkey-place.ts';

const trusted = NO_ADDRESSES;
/** Returns a request with a Host header. */
const request = (host: string) => ({ headers: { host }, socket: {} }) as unknown as IncomingMessage;

test.each([
  { publicUrl: 'https://video.example.com', host: 'other.example', origin: 'https://video.example.com', path: '/' },
  {
    publicUrl: 'https://video.example.com:8443/a/b',
    host: 'a',
    origin: 'https://video.example.com:8443',
    path: '/a/b/',
  },
  { publicUrl: 'https://video.example.com/a/', host: 'a', origin: 'https://video.example.com', path: '/a/' },
  { publicUrl: 'http://localhost:8080', host: '127.0.0.1:8080', origin: 'http://localhost:8080', path: '/' },
  { publicUrl: null, host: 'localhost:8080', origin: 'http://localhost:8080', path: '/' },
])('passkeys with the public URL $publicUrl work at $origin, dashboard at $path', (given) => {
  const { publicUrl, host, origin, path } = given;
  expect(passkeyPlace(request(host), { publicUrl, trusted })).toEqual({ origin, url: origin + path, fault: null });
});

test.each([
  { publicUrl: null, host: 'video.example.com', fault: 'no-address' },
  { publicUrl: null, host: '127.0.0.1:8080', fault: 'no-address' },
  { publicUrl: 'http://video.example.com', host: 'localhost', fault: 'plain-http' },
  { publicUrl: 'https://192.0.2.1', host: 'localhost', fault: 'address' },
  { publicUrl: 'https://[2001:db8::1]:8443', host: 'localhost', fault: 'address' },
])('passkeys with the public URL $publicUrl and the host $host fail: $fault', ({ publicUrl, host, fault }) => {
  expect(passkeyPlace(request(host), { publicUrl, trusted })).toEqual({ origin: null, url: null, fault });
});
