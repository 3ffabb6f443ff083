import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLibrarySettings } from '../../src/catalog/libraries/library-settings.ts';
import { migrate } from '../../src/catalog/migrate-store.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { COLUMNS, OTHER_TABLES, PARTS, REASONS, SETTINGS_SECTIONS } from './export-columns.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await migrate(database.db);
});
afterAll(() => database.stop());

const wordsOf = (texts: Iterable<string>) =>
  [...texts].flatMap((text) => text.split(' ').filter((word) => word !== ''));
const sorted = (words: Iterable<string>) => [...words].toSorted((one, other) => (one < other ? -1 : 1));

async function columnsByTable(): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select c.relname as "table", array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped group by c.relname`.execute(database.db);
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

test('it is decided of each column whether an export carries it', async () => {
  const stored = await columnsByTable();
  for (const [table, { carried, not }] of Object.entries(COLUMNS)) {
    expect([table, sorted(wordsOf([carried, ...Object.values(not)]))]).toEqual([
      table,
      sorted(stored.get(table) ?? []),
    ]);
  }
  const others = [...stored.keys()].filter((table) => !Object.hasOwn(COLUMNS, table));
  expect(sorted(wordsOf(Object.values(OTHER_TABLES)))).toEqual(sorted(others));
});

test('it is decided of each setting of a library whether an export carries it', () => {
  const sections = Object.keys(readLibrarySettings({}));
  expect(sorted(wordsOf(Object.values(SETTINGS_SECTIONS)))).toEqual(sorted(sections));
});

test('the documentation states each reason why something is not exported', async () => {
  const page = await readFile('docs/exporting.md', 'utf8');
  const [, section = ''] = page.split('## Not exported');
  const [table = ''] = section.split('\n## ');
  const listed = [...table.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, name]) => name).slice(1);
  expect(sorted(listed.map(String))).toEqual(sorted(REASONS));
  const parts = Object.values(PARTS).flatMap((part) => Object.values(part));
  const used = [
    ...Object.values(COLUMNS).flatMap(({ not }) => Object.keys(not)),
    ...Object.keys(SETTINGS_SECTIONS),
    ...Object.keys(OTHER_TABLES),
    ...parts.filter((part) => part !== 'carried'),
  ];
  expect(sorted(new Set(used))).toEqual(sorted(REASONS));
});
