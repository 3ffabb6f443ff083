import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { discard, type Service } from '../support/service.ts';
import { killTree } from '../support/service-processes.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from './import-fixture.ts';
import { SOURCE_ACCOUNT_KEY, startScriptedStream } from './scripted-stream.ts';

/** Migrations that changed imports after the first version that had them. */
const LATER = [
  ...['016-import-limits', '026-feed-access', '032-import-arrangements', '039-import-settings', '045-new-guids'],
  '046-import-indexes',
];
/** Fields of listed videos that the first version did not store. */
const NEWER_DETAILS = ['visibility', 'days', 'thumbnailTimeMs', 'comments', 'commentsFile', 'hasFailed'];

let database: TestDatabase;
let service: Service | null = null;
beforeAll(async () => {
  database = await startTestDatabase();
}, 120_000);
afterAll(async () => {
  if (service !== null) await discard(service);
  await database.stop();
});

/** Turns the tables of imports and their rows back into those of the first version. */
async function goBack(): Promise<void> {
  const { db } = database;
  await sql`delete from kysely_migration where name in (${sql.join(LATER)})`.execute(db);
  await sql`delete from schema_compatibility where name in (${sql.join(LATER)})`.execute(db);
  await sql`drop table collection_feed`.execute(db);
  await sql`drop index if exists import_item_next, import_item_prepared, import_item_counts`.execute(db);
  await sql`alter table import_item drop column waits, drop column file_bytes, drop column arrangement`.execute(db);
  await sql`
    alter table library_import drop column max_bytes_per_sec, drop column skips_duplicates,
      drop column source_bytes_per_sec, drop column running_at, drop column restores_settings,
      drop column settings_report, drop column makes_new_guids`.execute(db);
  await sql`update import_item set details = details - array[${sql.join(NEWER_DETAILS)}]::text[]`.execute(db);
}

test('an import that an earlier version planned runs after the upgrade', { timeout: 600_000 }, async () => {
  const { clip, image } = await makeFiles();
  const source = await startScriptedStream({ libraries: 1, videos: 6, clip, image, pageItems: 4 });
  onTestFinished(() => source.stop());
  const host = encodeURIComponent(`${database.config.host}`);
  const env = { MILLRACE_DATABASE_URL: `postgres:///postgres?host=${host}&user=millrace` };
  service = await startImporter(null, env);
  const first = service;
  const { guid } = await ask<Import>(first, 'POST', '/library/1/imports', {
    ...{ source: 'bunny', apiUrl: source.url, cdnUrl: `${source.url}/cdn`, sourceLibraryId: 1, dryRun: true },
    ...{ accountKey: SOURCE_ACCOUNT_KEY, coreUrl: source.url, settings: false },
  });
  const at = `/library/1/imports/${guid}`;
  await untilImport(
    () => first,
    at,
    ({ state }) => state === 'planned',
  );
  await killTree(first);
  await goBack();
  const second = await startImporter(first.dataDir, env);
  service = second;
  await ask(second, 'POST', `${at}/resume`);
  const report = await untilImport(
    () => second,
    at,
    ({ state }) => !['listing', 'running'].includes(state),
  );
  expect(report.items.flatMap(({ reason }) => reason ?? [])).toEqual([]);
  expect(report).toMatchObject({ state: 'finished', counts: { imported: 8, skipped: 0, failed: 0 } });
  const { items } = await ask<{ items: { guid: string; title: string }[] }>(second, 'GET', '/library/1/videos');
  const expected = source.videos(1).map(({ guid: id, model }) => [id, model.title]);
  expect(Object.fromEntries(items.map(({ guid: id, title }) => [id, title]))).toEqual(Object.fromEntries(expected));
});
