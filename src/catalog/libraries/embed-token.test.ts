import { expect, test } from 'vitest';
import { isEmbedTokenValid } from './embed-token.ts';

// Published test vectors of the interface.
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
  { title: 'another expiry', shown: { token, expiresSec: expiresSec + 1 }, keys: [key], nowMs: before, valid: false },
  { title: 'another key', shown: { token, expiresSec }, keys: ['x'], nowMs: before, valid: false },
  { title: 'no token', shown: { token: '', expiresSec: 0 }, keys: [key], nowMs: before, valid: false },
])('$title: returns $valid', ({ shown, keys, nowMs, valid }) => {
  expect(isEmbedTokenValid(shown, { mediaId, keys }, nowMs)).toBe(valid);
});
