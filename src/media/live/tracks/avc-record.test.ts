import { expect, test } from 'vitest';
import { normalizeAvcRecord } from './avc-record.ts';

/** A record of High profile, as x264 writes it: one SPS, one PPS, chroma format and bit depths. */
const SPS = '6764000dacd94141fb0110000003001000000303c0f1429960';
const PPS = '68ebe3cb22c0';
const sized = (set: string) => (set.length / 2).toString(16).padStart(4, '0') + set;
const USUAL = `0164000dffe1${sized(SPS)}01${sized(PPS)}fdf8f800`;

test.each([
  { what: 'the usual form', record: USUAL },
  { what: 'reserved bits of 0', record: USUAL.replace('0164000dffe1', '0164000d0301') },
  { what: 'without the fields of high profiles', record: USUAL.replace(/fdf8f800$/, '') },
  { what: 'with additional bytes', record: `${USUAL}00000000` },
  { what: 'with each set twice', record: `0164000dffe2${sized(SPS).repeat(2)}02${sized(PPS).repeat(2)}fdf8f800` },
])('records of the same parameter sets are equal: $what', ({ record }) => {
  expect(normalizeAvcRecord(Buffer.from(record, 'hex')).toString('hex')).toBe(USUAL);
});

test.each([
  { what: 'other parameter sets', record: USUAL.replace(PPS, '68ebe3cb22c1') },
  { what: 'NAL unit lengths of two bytes', record: USUAL.replace('0164000dff', '0164000dfd') },
  { what: 'a truncated record', record: USUAL.slice(0, 40) },
])('keeps $what', ({ record }) => {
  expect(normalizeAvcRecord(Buffer.from(record, 'hex')).toString('hex')).toBe(record);
});
