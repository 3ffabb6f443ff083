import { expect, test } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { StorageAway } from '../../ports/storage.ts';
import { isLocalShortage, Postponed, postponementOf } from './postponement.ts';

const coded = (code: string) => Object.assign(new Error('failed'), { code });

test.each([
  { what: 'an unavailable store', error: new StorageAway('503'), reason: 'waiting for the storage' },
  {
    what: 'an error caused by it',
    error: new Error('chunk', { cause: new StorageAway('503') }),
    reason: 'waiting for the storage',
  },
  { what: 'a full store', error: new Refused('disk-full', 'full'), reason: 'the storage is full' },
  { what: 'a full temporary folder', error: coded('ENOSPC'), reason: 'ENOSPC' },
  { what: 'an unavailable database', error: coded('ECONNREFUSED'), reason: 'waiting for the database' },
  { what: 'an unavailable key server', error: new Postponed('waiting for keys: 503'), reason: 'waiting for keys' },
])('postpones work for $what', ({ error, reason }) => {
  expect(postponementOf(error)).toContain(reason);
});

test.each([
  { what: 'an error of the encoder', error: new Error('Expected frame 69.') },
  { what: 'a missing original', error: new Refused('not-found', 'No object is stored.') },
  {
    what: 'an origin that responds with 403',
    error: new Refused('invalid', 'HTTP 403', { cause: coded('ECONNREFUSED') }),
  },
])('counts $what as a failure', ({ error }) => {
  expect(postponementOf(error)).toBeNull();
});

test('leaves a task to other workers if the disk of this worker is full, but not if the store is full', () => {
  expect(isLocalShortage(coded('ENOSPC'))).toBe(true);
  expect(isLocalShortage(new Refused('disk-full', 'full', { cause: coded('ENOSPC') }))).toBe(false);
});
