import { expect, test } from 'vitest';
import { Refused } from '../lib/refused.ts';
import { isDatabaseAway } from './is-database-away.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });
const refused = new Refused('unavailable', 'The server could not be reached.', { cause: withCode('ECONNREFUSED') });

test.each([
  ['a closed port', withCode('ECONNREFUSED'), true],
  ['a standby', withCode('25006'), true],
  ['the cause of another error', new Error('outer', { cause: withCode('57P01') }), true],
  ['a server that does not greet', new Error('timeout expired'), true],
  ['a time limit of something else', new Error('timeout expired while reading the file'), false],
  ['a lost connection', new Error('Connection terminated unexpectedly'), true],
  ['the closed port of another service', refused, false],
  ['the closed port of another service, as a cause', new Error('outer', { cause: refused }), false],
  ['a wrong value', withCode('22P02'), false],
])('recognises a database that is away: %s', (_what, error, isAway) => {
  expect(isDatabaseAway(error)).toBe(isAway);
});
