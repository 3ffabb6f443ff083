import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newGuid } from '../../../lib/guid.ts';
import { HOUR_MS, readBeacon } from './viewing-session.ts';
import { bucketsOf, newPageName, readTicket, writeTicket } from './viewing-ticket.ts';

const SECRET = createSecretKey(new Uint8Array(32).fill(7));
const ISSUED = Date.parse('2026-08-20T10:59:30Z');
const ticket = { libraryId: 3, mediaId: newGuid(), issuedAtMs: ISSUED, ...bucketsOf(24), page: newPageName() };

function beacon(fields: object): string {
  const usual = { visit: 0, sequence: 1, startedMs: 0, watchedSec: [10], heat: '', rungSec: {}, startupMs: 300 };
  return JSON.stringify({ ...usual, stallCount: 0, stallMs: 0, failures: 0, page: '', ...fields });
}

describe('a viewing ticket', () => {
  test('is accepted by the edge that wrote it, for three days', () => {
    const text = writeTicket(ticket, SECRET);
    expect(readTicket(text, [SECRET], ISSUED + 71 * HOUR_MS)).toEqual(ticket);
    expect(readTicket(text, [SECRET], ISSUED + 73 * HOUR_MS)).toBeNull();
    expect(readTicket(text, [SECRET], ISSUED - HOUR_MS)).toBeNull();
    expect(readTicket(text, [createSecretKey(new Uint8Array(32))], ISSUED)).toBeNull();
  });

  test('is accepted by an edge whose second key wrote it, during a rotation', () => {
    const text = writeTicket(ticket, SECRET);
    expect(readTicket(text, [createSecretKey(new Uint8Array(32)), SECRET], ISSUED)).toEqual(ticket);
  });

  test('is rejected if any character is changed', () => {
    const text = writeTicket(ticket, SECRET);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0123456789abcdefABCD_-.'), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        // The last base64url character has unused bits, so several characters decode to the same bytes.
        fc.pre(changed !== text && at < text.length - 1);
        expect(readTicket(changed, [SECRET], ISSUED)).toBeNull();
      }),
    );
  });

  test.each([
    { durationSec: 24, expected: { bucketSec: 1, bucketCount: 24 } },
    { durationSec: 600.5, expected: { bucketSec: 2, bucketCount: 301 } },
    { durationSec: 36_000, expected: { bucketSec: 60, bucketCount: 600 } },
    { durationSec: 0, expected: { bucketSec: 1, bucketCount: 0 } },
  ])('media of $durationSec s have buckets of $expected.bucketSec s', ({ durationSec, expected }) => {
    expect(bucketsOf(durationSec)).toEqual(expected);
  });
});

describe('a beacon', () => {
  test('splits its time at the hour boundary when parsed', () => {
    const heat = Buffer.from([1, 2, 1]).toString('base64url');
    const session = readBeacon(beacon({ watchedSec: [28, 15], heat, startedMs: 2_000 }), ticket, ISSUED + 50_000);
    expect(session).toMatchObject({ startHourMs: Date.parse('2026-08-20T10:00:00Z'), watchedSec: [28, 15] });
    expect([...(session?.heat ?? [])]).toEqual([1, 2, 1]);
  });

  test('is truncated instead of rejected if its page was open for days or suspended', () => {
    const waits = { startedMs: 30 * HOUR_MS, startupMs: 30 * HOUR_MS, stallMs: 40 * HOUR_MS, watchedSec: [3604] };
    const session = readBeacon(beacon(waits), ticket, ISSUED + 31 * HOUR_MS + 10_000);
    expect(session).toMatchObject({ startupMs: 24 * HOUR_MS, stallMs: 24 * HOUR_MS });
    expect(session?.watchedSec[0]).toBeLessThanOrEqual(3600);
  });

  test('is truncated to the elapsed time if it claims more', () => {
    const session = readBeacon(beacon({ watchedSec: [3600, 3600, 3600] }), ticket, ISSUED + 20_000);
    expect(session?.watchedSec).toEqual([25, 0, 0]);
    const heat = Buffer.alloc(600, 255).toString('base64url');
    const hot = readBeacon(beacon({ heat }), ticket, ISSUED + 1_000)?.heat ?? Buffer.alloc(0);
    expect(hot).toHaveLength(24);
    expect(hot.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(48);
  });

  test('belongs to the same session and hour on any edge', () => {
    const early = readBeacon(beacon({ startedMs: 31_000 }), ticket, ISSUED + 28_000);
    const late = readBeacon(beacon({ startedMs: 31_000, sequence: 2 }), ticket, ISSUED + 60_000);
    expect(early?.startHourMs).toBe(Date.parse('2026-08-20T11:00:00Z'));
    expect([early?.sessionId, early?.startHourMs]).toEqual([late?.sessionId, late?.startHourMs]);
    const next = readBeacon(beacon({ visit: 1, startedMs: HOUR_MS }), ticket, ISSUED + 2 * HOUR_MS);
    expect(next?.sessionId).not.toBe(early?.sessionId);
  });

  test('limits the time of all resolutions together to the watched time', () => {
    const claimed = beacon({ watchedSec: [10], rungSec: { 240: 4, 720: 3_000 } });
    expect(readBeacon(claimed, ticket, ISSUED + 20_000)?.rungSec).toEqual([
      ['240', 4],
      ['720', 8],
    ]);
  });

  test.each([
    ['', 'nothing'],
    ['[]', 'a list'],
    [beacon({ visit: -1 }), 'a missing visit number'],
    [beacon({ visit: 1, startedMs: 1_000 }), 'a second visit within 30 minutes on the page'],
    [beacon({ startedMs: 3_600_000 }), 'a start in the future'],
    [beacon({ rungSec: { huge: 3 } }), 'a height that is not a number'],
    [beacon({ sequence: -1 }), 'a negative sequence'],
    [beacon({ watchedSec: [1.5] }), 'half seconds'],
    [beacon({ watchedSec: Array(80).fill(1) }), 'too many hours'],
    [beacon({ heat: '!' }), 'other characters'],
    [beacon({ page: 'a b' }), 'a page that is not a host'],
  ])('rejects %s as a beacon: %s', (text) => {
    expect(readBeacon(text, ticket, ISSUED + 1_000)).toBeNull();
  });
});
