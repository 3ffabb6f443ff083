import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import {
  describeToken,
  type EmbedToken,
  isEmbedTokenValid,
  readEmbedToken,
  readParameters,
  signEmbedToken,
} from './embed-token.ts';

// Published test vectors of the hosted API.
const mediaId = '32d140e2-e4f4-4eec-9d53-20371e9be607';
const key = '4742a81b-bf15-42fe-8b1c-8fcb9024c550';
const token = 'a8617f6df2e9b55b65ac7112138c70417766d80614bfe146d0d9bb2bd21fef87';
const expiresSec = 1623440202;
const before = (expiresSec - 1) * 1000;

test.each([
  { title: 'the test vector', shown: { token, expiresSec }, keys: [key], nowMs: before, valid: true },
  { title: 'the second of two keys', shown: { token, expiresSec }, keys: ['x', key], nowMs: before, valid: true },
  { title: 'upper case', shown: { token: token.toUpperCase(), expiresSec }, keys: [key], nowMs: before, valid: true },
  { title: 'expired', shown: { token, expiresSec }, keys: [key], nowMs: expiresSec * 1000, valid: false },
  {
    title: 'a different expiry',
    shown: { token, expiresSec: expiresSec + 1 },
    keys: [key],
    nowMs: before,
    valid: false,
  },
  { title: 'a different key', shown: { token, expiresSec }, keys: ['x'], nowMs: before, valid: false },
  { title: 'a longer token', shown: { token: `${token}00`, expiresSec }, keys: [key], nowMs: before, valid: false },
  {
    title: 'a token after other text',
    shown: { token: `x${token}`, expiresSec },
    keys: [key],
    nowMs: before,
    valid: false,
  },
  { title: 'no token', shown: { token: '', expiresSec: 0 }, keys: [key], nowMs: before, valid: false },
])('$title: returns $valid', ({ shown, keys, nowMs, valid }) => {
  expect(isEmbedTokenValid(shown, { mediaId, keys }, nowMs)).toBe(valid);
});

test('accepts its own signature for the id with and without hyphens', () => {
  for (const id of [mediaId, mediaId.replaceAll('-', '')]) {
    expect(isEmbedTokenValid(signEmbedToken(key, id, { expiresSec }), { mediaId, keys: [key] }, before)).toBe(true);
  }
});

test.each([
  { url: `/embed/1/a?token=${token}&expires=${expiresSec}`, expected: { token, expiresSec } },
  { url: `/embed/1/a?Token=${token}&EXPIRES=${expiresSec}`, expected: { token, expiresSec } },
  { url: `/embed/1/a?token=${token}&token=second&expires=1`, expected: { token, expiresSec: 1 } },
  { url: `/embed/1/a?token=${token}&expires=soon`, expected: { token, expiresSec: 0 } },
  { url: `/embed/1/a?token=${token}&expires=1e9`, expected: { token, expiresSec: 0 } },
  { url: '/embed/1/token=a', expected: { token: '', expiresSec: 0 } },
])('reads the token of $url', ({ url, expected }) => {
  expect(readEmbedToken(readParameters(url))).toEqual(expected);
});

test.each([
  { shown: { token: '', expiresSec }, expected: 'no token' },
  { shown: { token, expiresSec: 0 }, expected: 'a token without expires' },
  { shown: { token, expiresSec: 1_000 }, expected: 'a token that expired at 1970-01-01T00:16:40.000Z' },
  { shown: { token, expiresSec }, expected: 'a token that was not made with this key, video and expires' },
])('describes an invalid token: $expected', ({ shown, expected }) => {
  expect(describeToken(shown, before)).toBe(expected);
});

test('a token of a share page is valid only with the id of its share', () => {
  const shareId = newGuid();
  const signed = signEmbedToken('key', 'video', { expiresSec: 2, shareId });
  const isValid = (shown: EmbedToken) => isEmbedTokenValid(shown, { mediaId: 'video', keys: ['key'] }, 0);
  const { shareId: _, ...bare } = signed;
  expect(isValid(signed)).toBe(true);
  expect(isValid(bare)).toBe(false);
  expect(isValid({ ...signed, shareId: newGuid() })).toBe(false);
  expect(isValid({ ...signEmbedToken('key', 'video', { expiresSec: 2 }), shareId })).toBe(false);
});
