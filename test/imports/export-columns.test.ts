import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLibrarySettings, readPullZoneSettings } from '../../src/catalog/libraries/library-settings.ts';
import { migrate } from '../../src/catalog/migrate-store.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { COLUMNS, OTHER_TABLES, PARTS, REASONS, SETTING_KEYS } from './export-columns.ts';

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

/** Returns the names of settings by section. Lists, and the bitrates of all rungs, are one setting. */
function keysBySection(section: string, settings: object): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const isSection = (value: unknown, name: string) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'videoKbps';
  for (const [name, value] of Object.entries(settings)) {
    if (!isSection(value, name)) found.set(section, [...(found.get(section) ?? []), name]);
    else
      for (const [inner, names] of keysBySection(section === 'library' ? name : `${section}.${name}`, value)) {
        found.set(inner, names);
      }
  }
  return found;
}

test('it is decided of each setting of a library whether an export carries it', () => {
  const stored = [
    ...keysBySection('library', readLibrarySettings({})),
    ...keysBySection('pullZone', readPullZoneSettings({})),
  ];
  const decided = Object.entries(SETTING_KEYS).map(([section, { carried, not }]) => [
    section,
    sorted(wordsOf([carried, ...Object.values(not)])),
  ]);
  const found = stored.map(([section, names]) => [section, sorted(names)]);
  expect(Object.fromEntries(decided)).toEqual(Object.fromEntries(found));
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
    ...Object.values(SETTING_KEYS).flatMap(({ not }) => Object.keys(not)),
    ...Object.keys(OTHER_TABLES),
    ...parts.filter((part) => part !== 'carried'),
  ];
  expect(sorted(new Set(used))).toEqual(sorted(REASONS));
});
