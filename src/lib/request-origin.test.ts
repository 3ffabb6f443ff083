import { expect, test } from 'vitest';
import { readTrustedProxies } from './client-address.ts';
import { requestOrigin } from './request-origin.ts';

const PROXY = '10.0.0.1';
const trusted = readTrustedProxies([PROXY, '2001:db8::/32']);
const proto = (text: string) => ({ host: 'api.example', 'x-forwarded-proto': text });
const named = (text: string) => ({ host: 'api.example', 'x-forwarded-host': text });

test.each([
  ['a trusted proxy', PROXY, proto('https'), 'https://api.example'],
  ['a trusted proxy in IPv4-mapped form', '::ffff:10.0.0.1', proto('https'), 'https://api.example'],
  ['a trusted IPv6 proxy', '2001:db8::9', proto('https'), 'https://api.example'],
  ['another address', '192.0.2.7', proto('https'), 'http://api.example'],
  ['an unknown address', undefined, proto('https'), 'http://api.example'],
  ['upper case', PROXY, proto('HTTPS'), 'https://api.example'],
  ['a list', PROXY, proto('https, http'), 'http://api.example'],
  ['a list with empty elements', PROXY, proto('http, https, ,'), 'https://api.example'],
  ['a foreign scheme', PROXY, proto('javascript'), 'http://api.example'],
  ['a host', PROXY, named('video.example'), 'http://video.example'],
  ['a host and a port', PROXY, named('video.example:8443'), 'http://video.example:8443'],
  ['an IPv6 host', PROXY, named('[2001:db8::1]:8443'), 'http://[2001:db8::1]:8443'],
  ['a list of hosts', PROXY, named('evil.example, video.example'), 'http://video.example'],
  ['a host from another address', '192.0.2.7', named('evil.example'), 'http://api.example'],
  ['a path', PROXY, named('evil.example/x'), 'http://api.example'],
  ['a user', PROXY, named('user@evil.example'), 'http://api.example'],
  ['a port that does not exist', PROXY, named('video.example:99999'), 'http://api.example'],
  ['no valid host', PROXY, { host: 'evil/path' }, 'http://null'],
])('determines the origin of a request with %s', (_what, remoteAddress, headers, expected) => {
  const { scheme, host } = requestOrigin({ headers, socket: { remoteAddress } }, trusted);
  expect(`${scheme}://${host}`).toBe(expected);
});

test('a TLS connection has the scheme https', () => {
  const socket = { remoteAddress: '192.0.2.7', encrypted: true };
  expect(requestOrigin({ headers: proto('http'), socket }, trusted).scheme).toBe('https');
});
