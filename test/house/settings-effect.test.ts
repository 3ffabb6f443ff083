import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORED_ONLY } from '../../src/api/models/stored-only.ts';
import { readLibrarySettings, readPullZoneSettings } from '../../src/catalog/libraries/library-settings.ts';
import { listFiles } from '../support/list-files.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../src');

/** Files that only store and return settings. A mention in them does not prove an effect. */
const MAPPINGS =
  /library-settings|library-change|library-model|zone-change|pull-zone-model|create-library|api\/models|player-look|play-data-model|get-live-play-data|\.test\.ts$/;

/** Returns the names of all settings in an object, without the names of sections that group them. */
function leavesOf(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? leavesOf(value) : [name],
  );
}

test('each setting of libraries and pull zones has an effect, or is documented as stored only', async () => {
  const files = (await listFiles(SOURCE)).filter((file) => file.endsWith('.ts') && !MAPPINGS.test(file));
  const words = new Set(
    files.flatMap(
      (file) =>
        readFileSync(path.join(SOURCE, file), 'utf8').replaceAll('WEBHOOK_URL_SETTING', 'webhookUrl').match(/\w+/g) ??
        [],
    ),
  );
  const settings = [...leavesOf(readLibrarySettings({})), ...leavesOf(readPullZoneSettings({}))];
  expect(settings.length).toBeGreaterThan(80);
  const unused = new Set(settings.filter((name) => !words.has(name) && !/^\d+$/.test(name)));
  const documented = new Set(Object.values(STORED_ONLY).map(({ setting }) => setting));
  expect([...unused].filter((name) => !documented.has(name))).toEqual([]);
  expect(unused).toContain('scaleByBothDimensions');
  expect(settings).toEqual(expect.arrayContaining([...documented]));
});
