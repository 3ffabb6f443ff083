import { expect, test } from 'vitest';
import { parseCutHead } from './cut-head.ts';

const sps = Buffer.from('67640028', 'hex');
const pps = Buffer.from('68ee', 'hex');
const layout = { nalLengthBytes: 4, parameterSets: [sps] };

function sampleOf(...units: readonly Buffer[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => [Buffer.of(0, 0, 0, unit.length), unit]));
}

function frameOf(sample: Buffer, sizeBytes = sample.length): string {
  return parseCutHead(sample, { number: 7, sizeBytes }, layout).picture;
}

const idr = Buffer.from('658884', 'hex');
const slice = Buffer.from('419a24', 'hex');
const sei = Buffer.from('060504', 'hex');

test('an IDR slice after delimiter, parameter sets and SEI is an IDR frame', () => {
  const sample = sampleOf(Buffer.from('09f0', 'hex'), sps, sei, idr);
  const head = parseCutHead(sample, { number: 7, sizeBytes: sample.length }, layout);
  expect(head).toEqual({ sample: 7, picture: 'idr', hasOtherParameterSets: false });
});

test('a sample whose first slice has any other type is not an IDR frame, even if an IDR slice follows', () => {
  expect(frameOf(sampleOf(sei, slice, idr))).toBe('not-idr');
});

test('reports an unknown frame type if the head ends before the first slice', () => {
  expect(frameOf(sampleOf(sei))).toBe('unknown');
  expect(frameOf(sampleOf(sei, idr).subarray(0, 11), 14)).toBe('unknown');
});

test('treats NAL lengths of 0 or beyond the sample as damage', () => {
  expect(frameOf(Buffer.from('000000ff6588', 'hex'))).toBe('damaged');
  expect(frameOf(Buffer.from('0000000065', 'hex'))).toBe('damaged');
  expect(frameOf(Buffer.from('00000002060500000004658884', 'hex'))).toBe('damaged');
});

test('reports in-band parameter sets that differ from the configuration', () => {
  const other = sampleOf(Buffer.from('67640029', 'hex'), idr);
  expect(parseCutHead(other, { number: 0, sizeBytes: other.length }, layout).hasOtherParameterSets).toBe(true);
});

test.each([
  { name: 'two known sets', units: [sps, pps], expected: false },
  { name: 'another PPS', units: [sps, Buffer.from('68eb', 'hex')], expected: true },
])('compares each parameter set with all of the configuration: $name', ({ units, expected }) => {
  const sample = sampleOf(...units, idr);
  const both = { ...layout, parameterSets: [sps, pps] };
  expect(parseCutHead(sample, { number: 0, sizeBytes: sample.length }, both)).toMatchObject({
    picture: 'idr',
    hasOtherParameterSets: expected,
  });
});
