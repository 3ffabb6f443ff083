import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeZonePolicy } from '../../../../test/support/zone-policy.ts';
import { readAddress } from '../../pull-zones/url-token.ts';
import { findNearMiss } from './explain.ts';

const ID = '00000000-0000-7000-8000-000000000001';
const FILE = `/${ID}/playlist.m3u8`;
const NOW_SEC = 1_700_000_000;
const zone = makeZonePolicy(1, {
  keys: { current: 'the key', previous: { key: 'the previous key', untilMs: 1 }, library: 'the library key' },
});

/** Signs as third-party code does, with any path and parameters. */
function sign(key: string, message: string, query: string, expires: number | string = NOW_SEC + 600): string {
  const signature = createHmac('sha256', key)
    .update(message.replace('EXPIRES', `${expires}`))
    .digest('base64url');
  return `/vz-1${FILE}?token=HS256-${signature}&${query}expires=${expires}`;
}

const FOLDER = `token_path=/${ID}/`;

test.each([
  ['nothing', sign('the key', `${FILE}EXPIRES`, ''), null],
  ['nothing, with a signed prefix', sign('the key', `/vz-1${FILE}EXPIRES`, ''), null],
  ['the key of the library', sign('the library key', `${FILE}EXPIRES`, ''), /library's key/],
  ['the previous key', sign('the previous key', `${FILE}EXPIRES`, ''), /the previous key/],
  ['milliseconds', sign('the key', `${FILE}EXPIRES`, '', NOW_SEC * 1000), /milliseconds/],
  ['a time as text', sign('the key', `${FILE}EXPIRES`, '', 'tomorrow'), /whole seconds/],
  ['parameters without sorting', sign('the key', `/${ID}/EXPIRES${FOLDER}&a=1`, `${FOLDER}&a=1&`), /order of the URL/],
  ['a folder without token_path', sign('the key', `/${ID}/EXPIRES${FOLDER}`, ''), /the URL has no token_path/],
  ['something unknown', sign('any key', `${FILE}EXPIRES`, ''), null],
])('explains the refusal of a token whose signer got %s wrong', (_, target, expected) => {
  const miss = findNearMiss(readAddress(target, '/vz-1'), zone, { address: '192.0.2.7', nowMs: NOW_SEC * 1000 });
  if (expected === null) expect(miss).toBeNull();
  else expect(miss).toMatch(expected);
});
