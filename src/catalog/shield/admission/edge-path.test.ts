import { expect, test } from 'vitest';
import { isEmbedTokenValid, signEmbedToken } from '../../libraries/embed-token.ts';
import { signFile, verifyUrlToken } from '../../pull-zones/verify-url-token.ts';
import { parseEdgePath } from './edge-path.ts';
import { HostRules } from './host-rules.ts';
import { readRoute } from './route.ts';

const ID = '0190a0a0-0000-7000-8000-000000000001';
const BARE = ID.replaceAll('-', '');

test.each([
  `/${BARE}/playlist.m3u8`,
  `/live/${BARE}/live.m3u8`,
  `/embed/1/${BARE}`,
  `/play/1/${BARE.toUpperCase()}/state`,
])('%s refers to the same video as the id with hyphens', (path) => {
  expect(parseEdgePath(path).target).toMatchObject({ mediaId: ID });
});

test.each([`/${BARE}0/playlist.m3u8`, `/${BARE.slice(1)}/playlist.m3u8`, `/embed/1/${BARE.replace('0', 'g')}`])(
  '%s does not refer to a video',
  (path) => {
    expect(parseEdgePath(path).target).toBe(null);
  },
);

test.each([
  ['/playerjs/playerjs-latest.min.js', 'protocol'],
  ['/playerjs/player-0.1.0.min.js', 'protocol'],
  ['/playerjs/millrace-player.js', 'element'],
])('%s is a script for pages that embed the player', (path, script) => {
  expect(parseEdgePath(path)).toEqual({ pathZone: null, target: { kind: 'embed-client', script } });
});

test.each(['page', 'player', 'download', 'logo', 'comments'])("parses the path of a share's %s", (part) => {
  const token = 'a'.repeat(43);
  const path = part === 'page' ? `/share/${token}` : `/share/${token}/${part}`;
  expect(parseEdgePath(path)).toEqual({ pathZone: null, target: { kind: 'share', token, part } });
  expect(parseEdgePath(`${path}/x`).target).toBe(null);
  const cutOff = part === 'page' ? { kind: 'share', token: '', part } : null;
  expect(parseEdgePath(path.replace(token, token.slice(1))).target).toEqual(cutOff);
});

test('a token signs the path exactly as it was sent', () => {
  const expiresSec = 2_000_000_000;
  const verdictOf = (signed: string, sent: string) => {
    const query = signFile({ key: 'key', expiresSec, address: null, path: `/${signed}/playlist.m3u8` });
    const { address } = readRoute(`/${sent}/playlist.m3u8?${query}`, 'vz-1.edge.test', new HostRules(['edge.test']));
    const signing = { keys: ['key'], holdsAddress: false, prefix: '/vz-1' };
    return verifyUrlToken(address, signing, { address: '192.0.2.1', country: '', nowMs: 0 });
  };
  expect(verdictOf(BARE, BARE)).not.toHaveProperty('fault');
  expect(verdictOf(ID, BARE)).toMatchObject({ fault: 'signature' });
});

test('accepts an embed token for the id with or without hyphens', () => {
  for (const id of [ID, BARE]) {
    const token = signEmbedToken('key', id, { expiresSec: 2_000_000_000 });
    expect(isEmbedTokenValid(token, { mediaId: ID, keys: ['key'] }, 0)).toBe(true);
    expect(isEmbedTokenValid(token, { mediaId: ID.replace('1', '2'), keys: ['key'] }, 0)).toBe(false);
  }
});
