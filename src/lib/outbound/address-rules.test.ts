import { describe, expect, test } from 'vitest';
import { createAddressRules } from './address-rules.ts';

const DENIED = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'internal to a cloud'],
  ['169.254.169.254', 'linkLocal'],
  ['172.31.255.255', 'private'],
  ['192.0.2.1', 'reserved'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'not global'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'linkLocal'],
  ['::ffff:168.63.129.16', 'internal to a cloud'],
  ['64:ff9b::7f00:1', 'rfc6052'],
  ['2002:7f00:1::', '6to4'],
  ['2001:0:7f00:1::', 'teredo'],
  ['2001:db8::1', 'reserved'],
  ['fc00::1', 'uniqueLocal'],
  ['fe80::1', 'linkLocal'],
  ['fec0::1', 'not global'],
  ['5f00::1', 'not global'],
  ['ff02::1', 'multicast'],
  ['not an address', 'no IP address'],
] as const;

describe('addresses', () => {
  const rules = createAddressRules([], () => []);

  test.each(DENIED)('denies %s', (address, reason) => {
    const verdict = rules(address);
    expect(verdict.kind).toBe('denied');
    expect(verdict.kind === 'denied' ? verdict.reason : '').toMatch(new RegExp(`${reason}|range`));
  });

  test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(rules(address)).toEqual({ kind: 'public' });
  });

  test("denies this machine's own public addresses in any notation", () => {
    const own = createAddressRules([], () => ['8.8.8.8', '2606:4700:4700:0:0:0:0:1111']);
    for (const address of ['8.8.8.8', '::ffff:808:808', '2606:4700:4700::1111']) {
      expect(own(address)).toEqual({ kind: 'denied', reason: 'this machine itself' });
    }
    expect(own('8.8.4.4')).toEqual({ kind: 'public' });
  });

  test('allows only listed blocks', () => {
    const listed = createAddressRules(['10.1.0.0/16', '::1', '127.0.0.2', '8.8.8.8'], () => ['8.8.8.8']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::1', '127.0.0.2', '8.8.8.8']) {
      expect(listed(address)).toEqual({ kind: 'listed' });
    }
    for (const address of ['10.2.0.1', '127.0.0.1', '::2']) expect(listed(address).kind).toBe('denied');
  });

  test.each(['10.0.0.0/33', 'localhost', '', '10.0.0.0/8,::1'])(
    'names the malformed block %j in the error',
    (block) => {
      expect(() => createAddressRules([block])).toThrow(JSON.stringify(block));
    },
  );
});
