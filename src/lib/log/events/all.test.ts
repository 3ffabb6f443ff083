import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../../../test/support/list-files.ts';
import { LOG_FIELDS } from '../log-fields.ts';
import { LOG_EVENTS } from './all.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../..');

test('each event of the catalogue is logged somewhere, and each field belongs to an event or a context', async () => {
  const files = (await listFiles(SOURCE)).filter(
    (file) => file.endsWith('.ts') && !/lib\/log\/|\.test\.ts$/.test(file),
  );
  const code = files.map((file) => readFileSync(path.join(SOURCE, file), 'utf8')).join('\n');
  const own = ['log.suppressed', 'http.request', 'publisher.idle', 'publisher.resumed'];
  const unused = Object.keys(LOG_EVENTS).filter((name) => !own.includes(name) && !code.includes(`'${name}'`));
  expect(unused).toEqual([]);
  const fields = Object.values(LOG_EVENTS).flatMap((event) => event.fields.map((field) => field.replace('?', '')));
  const ofContext = ['requestId', 'suppressed', 'event'];
  expect(Object.keys(LOG_FIELDS).filter((name) => ![...fields, ...ofContext].includes(name))).toEqual([]);
});

test('event names are lower-case words with a dot, and event texts are sentences', () => {
  for (const [name, { message }] of Object.entries(LOG_EVENTS)) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/);
    if (name !== 'service.ready') expect(message).toMatch(/^[A-Za-z].+\.$/);
  }
});
