import { expect, test } from 'vitest';
import { readEmbedAddress, readShareAddress } from './embed-address.ts';

const EDGE = 'https://media.example:7701';
const ID = '0192f000-0000-7000-8000-000000000001';

test.each([
  `${EDGE}/embed/7/${ID}`,
  `${EDGE}/play/7/${ID}/`,
  `${EDGE}/embed/7/${ID.toUpperCase()}?autoplay=true#t=5`,
  ` http://media.example:7701/embed/7/${ID}`,
  `https://iframe.mediadelivery.net/embed/7/${ID}`,
  `https://player.mediadelivery.net/play/7/${ID}`,
])("recognises %s as the URL of the video's player page", (address) => {
  expect(readEmbedAddress(address, EDGE)).toEqual({ libraryId: 7, mediaId: ID, isDirect: address.includes('/play/') });
});

test.each([
  '',
  'embed/7/x',
  `ftp://media.example:7701/embed/7/${ID}`,
  `https://media.example/embed/7/${ID}`,
  `https://elsewhere.example/embed/7/${ID}`,
  `https://iframe.mediadelivery.net.evil.example/embed/7/${ID}`,
  `${EDGE}/embed/7/${ID}/state`,
  `${EDGE}/embed/x/${ID}`,
  `${EDGE}/embed/7/not-a-guid`,
  `${EDGE}/vz-1/${ID}/playlist.m3u8`,
  'javascript:alert(1)',
])('rejects %j as the URL of a player page', (address) => {
  expect(readEmbedAddress(address, EDGE)).toBeNull();
});

test('reads the token of a share page on its own edge only', () => {
  const token = 'a'.repeat(43);
  expect(readShareAddress(` ${EDGE}/share/${token}/?t=5`, EDGE)).toBe(token);
  for (const text of [
    `https://other.test/share/${token}`,
    `${EDGE}/share/${token}/player`,
    `${EDGE}/share/short`,
    'x',
  ]) {
    expect(readShareAddress(text, EDGE)).toBeNull();
  }
});
