import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

test('reads the log settings and their defaults', () => {
  const usual = { logLevels: { level: 'info', parts: {} }, logFormat: null, accessLog: 'off' };
  expect(readSettings({})).toMatchObject(usual);
  const rest = { MILLRACE_LOG_FORMAT: 'json', MILLRACE_ACCESS_LOG: 'errors' };
  const given = { MILLRACE_LOG_LEVEL: 'warn, ingest=debug', ...rest };
  expect(readSettings(given)).toMatchObject({
    logLevels: { level: 'warn', parts: { ingest: 'debug' } },
    logFormat: 'json',
    accessLog: 'errors',
  });
});

test.each([
  ['MILLRACE_LOG_LEVEL', 'inof', 'Did you mean info instead of inof?'],
  ['MILLRACE_LOG_LEVEL', 'warning', 'Did you mean warn instead of warning?'],
  ['MILLRACE_LOG_LEVEL', 'info,ingset=debug', 'Did you mean ingest instead of ingset?'],
  ['MILLRACE_LOG_LEVEL', 'info,live=debgu', 'Did you mean debug instead of debgu?'],
  ['MILLRACE_LOG_LEVEL', 'INFO', 'Did you mean info instead of INFO?'],
  ['MILLRACE_LOG_FORMAT', 'jsno', 'Did you mean json instead of jsno?'],
  ['MILLRACE_ACCESS_LOG', 'error', 'Did you mean errors instead of error?'],
])('rejects %s=%s and suggests the nearest word', (name, text, hint) => {
  expect(() => readSettings({ [name]: text })).toThrow(hint);
  expect(() => readSettings({ [name]: text })).toThrow(`${name}: expected `);
});
