import { expect, test } from 'vitest';
import { newContentKeys } from '../../media/drm/keys/content-keys.ts';
import { readLibrarySettings } from '../libraries/library-settings.ts';
import { chooseSystems, drmModeOf, readSignals, requireSameKids, storeSignals } from './drm-package.ts';

const settingsOf = (drm: object) => readLibrarySettings({ drm });
const on = { enabled: true };

test.each([
  { drm: {}, mode: 'none' },
  { drm: { version: 'enterprise' }, mode: 'none' },
  { drm: on, mode: 'basic' },
  { drm: { ...on, version: 'basic-v2' }, mode: 'basic' },
  { drm: { ...on, version: 'enterprise' }, mode: 'enterprise' },
])('derives DRM mode $mode from settings $drm', ({ drm, mode }) => {
  expect(drmModeOf(settingsOf(drm))).toBe(mode);
});

test.each([
  { drm: {}, scheme: 'cbcs', systems: ['playReady'] },
  { drm: { widevine: on, fairPlay: on }, scheme: 'cbcs', systems: ['widevine', 'playReady', 'fairPlay'] },
  // FairPlay does not support the other scheme.
  { drm: { widevine: on, fairPlay: on }, scheme: 'cenc', systems: ['widevine', 'playReady'] },
] as const)(
  'requests $systems for $drm with $scheme if the key server supports all systems',
  ({ drm, scheme, systems }) => {
    expect(chooseSystems(['widevine', 'playReady', 'fairPlay'], settingsOf(drm), scheme)).toEqual(systems);
    expect(chooseSystems([], settingsOf(drm), scheme)).toEqual([]);
  },
);

test('reads signals back exactly as they were stored', () => {
  const none = { hlsMedia: null, hlsMultivariant: null, contentProtection: null };
  const signals = [
    { system: 'widevine', group: 'hd', pssh: Buffer.from('a box'), ...none },
    { system: 'fairPlay', group: 'sd', pssh: null, ...none, hlsMedia: '#EXT-X-KEY:' },
  ] as const;
  expect(readSignals(JSON.parse(JSON.stringify(storeSignals(signals))))).toEqual(signals);
});

test('rejects keys whose ids were not requested', () => {
  const requested = newContentKeys('cbcs');
  expect(() => requireSameKids(requested, requested)).not.toThrow();
  expect(() => requireSameKids(requested, newContentKeys('cbcs'))).toThrow('requested key ids');
  expect(() => requireSameKids(requested, { ...requested, scheme: 'cenc' })).toThrow('key ids and scheme');
});
