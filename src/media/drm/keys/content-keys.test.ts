import { describe, expect, test } from 'vitest';
import type { SchemeName } from '../../../ports/drm-key-source.ts';
import { findScheme } from '../encryption/all.ts';
import { sampleIv } from '../encryption/sample-iv.ts';
import {
  formatContentKeys,
  KEY_GROUPS,
  kidBytes,
  kidOfBytes,
  newContentKeys,
  parseContentKeys,
} from './content-keys.ts';

describe('content keys', () => {
  test('are random, one per group, and differ between videos', () => {
    const videos = [newContentKeys('cenc'), newContentKeys('cenc')];
    const keys = videos.flatMap(({ groups }) => KEY_GROUPS.map((group) => groups[group]));
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(6);
    expect(new Set(keys.flatMap(({ key, constantIv }) => [key.toString('hex'), constantIv.toString('hex')])).size).toBe(
      12,
    );
  });

  test('are read back unchanged', () => {
    const keys = newContentKeys('cbcs');
    expect(parseContentKeys(formatContentKeys(keys))).toEqual(keys);
  });

  test.each([
    { what: 'not JSON', text: 'secret' },
    { what: 'another scheme', text: formatContentKeys(newContentKeys('cenc')).replace('cenc', 'cens') },
    { what: 'a missing group', text: formatContentKeys(newContentKeys('cenc')).replace('"hd"', '"uhd"') },
    { what: 'a short key', text: formatContentKeys(newContentKeys('cenc')).replace(/"key":"../, '"key":"') },
    { what: 'a bad key id', text: formatContentKeys(newContentKeys('cenc')).replace(/"kid":"./, '"kid":"g') },
    { what: 'null', text: 'null' },
  ])('are not parsed from invalid stored text: $what', ({ text }) => {
    expect(() => parseContentKeys(text)).toThrow();
  });

  test('have key ids whose bytes are in the order of the text form', () => {
    const { kid } = newContentKeys('cenc').groups.audio;
    expect(kidBytes(kid).toString('hex')).toBe(kid.replaceAll('-', ''));
    expect(kidOfBytes(kidBytes(kid))).toBe(kid);
    expect(() => kidOfBytes(Buffer.alloc(15))).toThrow('Expected a key id of 16 bytes');
  });
});

test('findScheme rejects an unknown scheme', () => {
  expect(findScheme('cbcs').name).toBe('cbcs');
  expect(() => findScheme('cbc1' as SchemeName)).toThrow('Expected one of the schemes cbcs, cenc, got cbc1.');
});

describe('a sample initialisation vector', () => {
  test('contains IV prefix, segment and sample without overlap', () => {
    expect(sampleIv({ ivPrefix: 0xffffffff, segment: 0, sample: 0 }).toString('hex')).toBe('ffffffff00000000');
    expect(sampleIv({ ivPrefix: 0, segment: 2 ** 18 - 1, sample: 0 }).toString('hex')).toBe('00000000ffffc000');
    expect(sampleIv({ ivPrefix: 0, segment: 0, sample: 2 ** 14 - 1 }).toString('hex')).toBe('0000000000003fff');
  });

  test.each([
    { ivPrefix: 2 ** 32, segment: 0, sample: 0 },
    { ivPrefix: 0, segment: 2 ** 18, sample: 0 },
    { ivPrefix: 0, segment: 0, sample: 2 ** 14 },
    { ivPrefix: -1, segment: 0, sample: 0 },
    { ivPrefix: 0, segment: 0.5, sample: 0 },
  ])('is rejected for %o, which would repeat an IV', (position) => {
    expect(() => sampleIv(position)).toThrow('for an initialisation vector');
  });
});
