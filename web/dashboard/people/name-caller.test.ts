import { expect, test } from 'vitest';
import { nameCaller } from './name-caller.ts';

const ID = '019abc12-3456-7def-8123-456789abcdef';

test('names a key by its label if it is known', () => {
  expect(nameCaller({ Key: ID, Scope: 'read' }, new Map([[ID, 'Nightly import']]))).toBe('Key “Nightly import”');
  expect(nameCaller({ Key: ID, Scope: 'read' }, new Map([[ID, '']]))).toBe('Key “…89abcdef”');
});

test.each([
  [`${ID} ada@example.com`, 'write', 'ada@example.com'],
  [ID, 'account', 'Account key'],
  ['account', 'account', 'Account key'],
  [ID, 'read', 'Key “…89abcdef”'],
  ['ApiKey', 'write', 'API key of the library'],
  ['ReadOnlyApiKey', 'read', 'Read-only key of the library'],
])('names the caller %s (%s) as %s', (Key, Scope, expected) => {
  expect(nameCaller({ Key, Scope })).toBe(expected);
});
