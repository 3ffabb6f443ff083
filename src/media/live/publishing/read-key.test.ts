import { expect, test } from 'vitest';
import { readKey } from './read-key.ts';

test.each([
  { name: 'key', app: 'live', key: 'key' },
  { name: 'key?user=a&pass=b/c', app: 'live', key: 'key' },
  { name: 'key/', app: 'live', key: 'key' },
  { name: ' key\r\n', app: 'live', key: 'key' },
  { name: 'live//key', app: 'live', key: 'key' },
  { name: '', app: 'live/key', key: 'key' },
  { name: '/', app: 'key/', key: 'key' },
  { name: '', app: '', key: '' },
])('the name "$name" of the application "$app" has the key "$key"', ({ name, app, key }) => {
  expect(readKey(name, app)).toBe(key);
});
