import { expect, test } from 'vitest';
import { redactUrl } from './redact-url.ts';

test.each([
  ['/vz-1/x/playlist.m3u8', '/vz-1/x/playlist.m3u8'],
  ['/vz-1/x/playlist.m3u8?token=HS256-abc&expires=5&limit=1', '/vz-1/x/playlist.m3u8?token=***&expires=5&limit=1'],
  ['/embed/1/x/state?ticket=1.x.5.1.60.p.m', '/embed/1/x/state?ticket=***'],
  ['/dashboard/sign-in/x/callback?code=abc&state=y', '/dashboard/sign-in/x/callback?code=***&state=y'],
  ['/a?TOKEN=abc&to%6ben=abc&q=1', '/a?TOKEN=***&to%6ben=***&q=1'],
  [
    '/vz-1/bcdn_token=HS256-abc&expires=5&token_path=%2Fx%2F/x/0.m4s',
    '/vz-1/bcdn_token=***&expires=5&token_path=%2Fx%2F/x/0.m4s',
  ],
  ['/%62cdn_token=abc/x', '/%62cdn_token=***/x'],
  [`/x/key/${'k'.repeat(43)}`, '/x/key/***'],
  ['/%zz?%zz=1', '/%zz?%zz=1'],
  // Mistyped links of share pages.
  [`/share/${'k'.repeat(42)}/list?video=x`, '/share/***/list?video=x'],
  [`/share/${'k'.repeat(44)}`, '/share/***'],
  ['/shar%65/abc', '/shar%65/***'],
  ['/share/', '/share/'],
  ['/oembed?url=https%3A%2F%2Fx%2Fshare%2Fabc%2Fplayer', '/oembed?url=https%3A%2F%2Fx%2Fshare%2F***%2Fplayer'],
  ['/oembed?url=https://x/share/abc/player&format=json', '/oembed?url=https://x/share/***/player&format=json'],
])('logs %s as %s', (url, expected) => {
  expect(redactUrl(url)).toBe(expected);
});
