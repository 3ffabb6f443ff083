import { expect } from 'vitest';
import { peakOfWindows } from '../../../src/media/presentation/peak-of-windows.ts';
import type { FetchedRendition, FetchedVariant } from './fetch-renditions.ts';

/** Bitrates in bits per second. The peak covers windows of segments (RFC 8216 section 4.1). */
type Rates = { peak: number; average: number };

/**
 * Checks a variant's BANDWIDTH, AVERAGE-BANDWIDTH and CODECS (RFC 8216 section 4.3.4.2) against the bytes themselves.
 */
export function checkRates(variant: FetchedVariant, audio: readonly FetchedRendition[]): void {
  const own = ratesOf(variant.rendition);
  const sounds = variant.rendition.kind === 'audio' ? [] : audio.filter(({ url }) => variant.audioUrls.includes(url));
  const peak = own.peak + Math.max(0, ...sounds.map((sound) => ratesOf(sound).peak));
  const average = own.average + Math.max(0, ...sounds.map((sound) => ratesOf(sound).average));
  expectRate('BANDWIDTH', variant.bandwidth, peak);
  expectRate('AVERAGE-BANDWIDTH', variant.averageBandwidth, average);
  const codecs = new Set([variant.rendition, ...sounds].map(codecOf));
  expect(new Set(variant.codecs)).toEqual(codecs);
}

function ratesOf({ segments, timescale, targetDurationSec }: FetchedRendition): Rates {
  const sizes = segments.map(({ bytes, times }) => ({ bytes: bytes.length, sec: times.durationTicks / timescale }));
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return {
    peak: peakOfWindows(sizes, targetDurationSec),
    average: sum(sizes.map(({ bytes }) => bytes * 8)) / sum(sizes.map(({ sec }) => sec)),
  };
}

/** Checks that a stated rate is never below the real rate, and above it only by rounding. */
function expectRate(name: string, stated: number, real: number): void {
  expect(stated, name).toBeGreaterThanOrEqual(Math.floor(real));
  expect(stated, name).toBeLessThanOrEqual(Math.ceil(real) + 2);
}

/** Returns the codec string (RFC 6381) from the decoder configuration. */
function codecOf({ kind, init }: FetchedRendition): string {
  if (kind === 'audio') return `mp4a.40.${aacObjectType(init)}`;
  const avcC = init.indexOf('avcC', 0, 'latin1');
  if (avcC < 0) throw new Error('Expected an avcC box.');
  return `avc1.${init.toString('hex', avcC + 5, avcC + 8)}`;
}

/** The first five bits of the AudioSpecificConfig: tag 5 of the esds box (ISO 14496-1 section 7.2.6.7). */
function aacObjectType(init: Buffer): number {
  const esds = init.indexOf('esds', 0, 'latin1');
  if (esds < 0) throw new Error('Expected an esds box.');
  let at = esds + 8;
  for (const [tag, fieldBytes] of [
    [3, 3],
    [4, 13],
  ] as const) {
    if (init[at] !== tag) throw new Error(`Expected descriptor ${tag} in esds, found ${init[at]}.`);
    at = afterLength(init, at + 1) + fieldBytes;
  }
  if (init[at] !== 5) throw new Error(`Expected descriptor 5 in esds, found ${init[at]}.`);
  return init.readUInt8(afterLength(init, at + 1)) >> 3;
}

function afterLength(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes.readUInt8(at) & 0x80) !== 0) at += 1;
  return at + 1;
}
