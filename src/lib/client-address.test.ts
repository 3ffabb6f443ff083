import { expect, test } from 'vitest';
import { clientAddress, readAddressSet } from './client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '::ffff:192.0.2.7', true],
  ['192.0.2.0/24', '192.0.2.200', true],
  ['192.0.2.*', '192.0.2.9', true],
  ['192.0.*.*', '192.0.77.9', true],
  ['192.0.2.*', '192.0.3.9', false],
  ['2001:db8::/32', '2001:db8:5::1', true],
  ['2001:db8::/32', '192.0.2.1', false],
])('%s holds %s: %s', (network, address, expected) => {
  expect(readAddressSet([network])?.has(address)).toBe(expected);
});

test.each(['', 'example.com', '1.2.3', '1.2.*', '1.2.3.4/40', '300.1.1.1', '1.2.3.4.*'])('%s is no network', (text) => {
  expect(readAddressSet([text])).toBeNull();
});

test.each([
  ['no proxy is trusted', [], '10.0.0.1', '1.1.1.1', '10.0.0.1'],
  ['a proxy that is trusted', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['what a client wrote before', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
  ['two proxies in a row', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
  ['rubbish behind a proxy', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, <x>', '10.0.0.1'],
  ['an IPv6 client', ['10.0.0.0/8'], '::ffff:10.0.0.1', '[2001:DB8::1]', '2001:db8::1'],
  ['nothing forwarded', ['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
])('the client of %s', (_, trusted, remoteAddress, forwardedFor, expected) => {
  const set = readAddressSet(trusted);
  if (set === null) throw new Error('Expected networks.');
  expect(clientAddress({ remoteAddress, forwardedFor }, set)).toBe(expected);
});
