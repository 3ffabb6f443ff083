import { expect, test } from 'vitest';
import { clientAddress, isFromHere, readAddressSet } from './client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '::ffff:192.0.2.7', true],
  ['192.0.2.0/24', '192.0.2.200', true],
  ['192.0.2.*', '192.0.2.9', true],
  ['192.0.*.*', '192.0.77.9', true],
  ['192.0.2.*', '192.0.3.9', false],
  ['2001:db8::/32', '2001:db8:5::1', true],
  ['2001:db8::/32', '192.0.2.1', false],
])('network %s contains %s: %s', (network, address, expected) => {
  expect(readAddressSet([network])?.has(address)).toBe(expected);
});

test.each(['', 'example.com', '1.2.3', '1.2.*', '1.2.3.4/40', '300.1.1.1', '1.2.3.4.*'])(
  'rejects %s as a network',
  (text) => {
    expect(readAddressSet([text])).toBeNull();
  },
);

test.each([
  ['no proxy is trusted', [], '10.0.0.1', '1.1.1.1', '10.0.0.1'],
  ['a trusted proxy', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['a header forged by the client', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
  ['two proxies in a row', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
  ['an invalid entry behind a proxy', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, <x>', '10.0.0.1'],
  ['an IPv6 client', ['10.0.0.0/8'], '::ffff:10.0.0.1', '[2001:DB8::1]', '2001:db8::1'],
  ['an address with a port', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4:5555', '1.2.3.4'],
  ['an IPv6 address with a port', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['a quoted address', ['10.0.0.0/8'], '10.0.0.1', '"1.2.3.4"', '1.2.3.4'],
  ['a quoted address with a port', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, "[2001:db8::2]:80"', '2001:db8::2'],
  ['IPv4 in IPv6 with a port', ['10.0.0.0/8'], '10.0.0.1', '[::ffff:1.2.3.4]:5', '1.2.3.4'],
  ['a trusted proxy with a port', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4:1, 10.0.0.2:2', '1.2.3.4'],
  ['an obfuscated port', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4:_p', '1.2.3.4'],
  ['an address with a zone', ['10.0.0.0/8'], '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
  ['white space', ['10.0.0.0/8'], '10.0.0.1', ' \t1.2.3.4 \t', '1.2.3.4'],
  ['empty elements', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4, ,', '1.2.3.4'],
  ['an empty header', ['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
  ['unknown', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
  ['an obfuscated name', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, _hidden:80', '10.0.0.1'],
  ['IPv4 in brackets', ['10.0.0.0/8'], '10.0.0.1', '[1.2.3.4]', '10.0.0.1'],
  ['a number', ['10.0.0.0/8'], '10.0.0.1', '16909060', '10.0.0.1'],
  ['an octal address', ['10.0.0.0/8'], '10.0.0.1', '01.2.3.4', '10.0.0.1'],
  ['nothing forwarded', ['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
])('determines the client address: %s', (_, trusted, remoteAddress, forwardedFor, expected) => {
  const set = readAddressSet(trusted);
  if (set === null) throw new Error('Expected networks.');
  expect(clientAddress({ remoteAddress, forwardedFor }, set)).toBe(expected);
});

test.each([
  ['this machine', '127.0.0.1', {}, true],
  ['this machine by IPv6', '::1', {}, true],
  ['this machine by IPv4 in IPv6', '::ffff:127.0.0.1', {}, true],
  ['a trusted proxy itself', '10.0.0.1', {}, true],
  ['this machine behind a trusted proxy', '10.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, true],
  ['a client of a trusted proxy', '10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, false],
  ['an unknown client of a trusted proxy', '10.0.0.1', { 'x-forwarded-for': 'unknown' }, false],
  ['a client of another proxy on this machine', '127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, false],
  ['one that claims to be this machine', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['a proxy on this machine by other headers', '127.0.0.1', { via: '1.1 proxy' }, false],
  ['a page in a browser on this machine', '127.0.0.1', { origin: 'https://example.com' }, false],
  ['another machine', '192.0.2.7', {}, false],
  ['another machine that claims to be this one', '192.0.2.7', { 'x-forwarded-for': '127.0.0.1' }, false],
])('checks whether a request is local: %s', (_, remoteAddress, headers, expected) => {
  const trusted = readAddressSet(['10.0.0.0/8']);
  if (trusted === null) throw new Error('Expected networks.');
  expect(isFromHere({ socket: { remoteAddress }, headers }, trusted)).toBe(expected);
});
