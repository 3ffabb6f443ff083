import { expect, test } from 'vitest';
import { isPrivateUrl } from './is-private-url.ts';

test.each([
  'http://localhost:9000/hook',
  'http://LOCALHOST./',
  'https://hooks.internal',
  'http://printer.local',
  'http://127.1/',
  'http://10.1.2.3',
  'https://172.31.0.1/x',
  'http://192.168.1.1',
  'http://169.254.169.254/',
  'http://100.64.0.1',
  'http://[::1]:80/',
  'http://[fd00::1]',
  'http://[::ffff:10.0.0.1]',
  'http://intranet/hook',
])('is private: %s', (url) => {
  expect(isPrivateUrl(url)).toBe(true);
});

test.each([
  '',
  'https://',
  'https://example.com',
  'https://172.32.0.1',
  'https://local.example',
  'http://[2001:db8::1]',
  'http://[::ffff:8.8.8.8]',
])('is not private, or unknown: %s', (url) => {
  expect(isPrivateUrl(url)).toBe(false);
});
