import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { createKeyStore } from '../keys/key-store.ts';
import { adoptAccountKey, ensureFirstLibrary } from './first-library-store.ts';
import { createLibraryStore } from './library-store.ts';

let database: TestDatabase;
const secretBox = createSecretBox(Buffer.alloc(32, 1));
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('creates the first library once with the configured keys, even if two machines start simultaneously', async () => {
  const { db } = database;
  const deps = { db, secretBox };
  const wanted = { accountKey: 'account-key-of-the-owner', libraryKey: 'library-key-of-the-owner' };
  const starts = await Promise.all([ensureFirstLibrary(wanted, deps), ensureFirstLibrary(wanted, deps)]);
  expect(starts.map(({ created }) => created).sort()).toEqual([false, true]);
  for (const start of starts) expect(start).toMatchObject({ ...wanted, libraryId: 1 });
  const later = await ensureFirstLibrary({ accountKey: 'another-key', libraryKey: null }, deps);
  expect(later).toMatchObject({ created: false, accountKey: null, libraryKey: wanted.libraryKey });
  const keys = createKeyStore(db);
  expect(await keys.findGrant(wanted.libraryKey)).toEqual({ scope: 'write', libraryId: 1, keyName: 'ApiKey' });
  expect(await keys.findGrant(later.readOnlyKey)).toEqual({ scope: 'read', libraryId: 1, keyName: 'ReadOnlyApiKey' });
  expect(await keys.findGrant(wanted.accountKey)).toMatchObject({ scope: 'account', libraryId: null });
  expect(await keys.findGrant('another-key')).toBeNull();
  await adoptAccountKey('another-key', { db });
  await adoptAccountKey('another-key', { db });
  expect(await keys.findGrant('another-key')).toMatchObject({ scope: 'account', libraryId: null });
});

test('creates a library with the documented defaults and its own pull zone', async () => {
  const libraries = createLibraryStore({ db: database.db, secretBox });
  expect(await libraries.findLibrary(1)).toMatchObject({
    name: 'default',
    videoCount: 0,
    pullZone: { name: 'vz-1', settings: { tokenRequired: false, tokenHoldsAddress: false } },
    settings: {
      encoding: { tier: 'premium', rungs: [240, 360, 480, 720, 1080], codecs: ['h264'], jitEnabled: false },
      originals: { keep: true },
      mp4: { enabled: true },
      access: { playerTokenRequired: false },
      webhookUrl: null,
    },
  });
  const { library } = await libraries.create({ name: 'more', pullZoneName: null, libraryKey: null });
  expect(library.pullZone.name).toMatch(/^vz-[0-9a-f]{8}-[0-9a-f]{3}$/);
  expect(await libraries.findLibrary(999)).toBeNull();
});

test('reports a stored setting of the wrong type, and uses the default for a missing one', async () => {
  const libraries = createLibraryStore({ db: database.db, secretBox });
  const store = (settings: object) =>
    database.db
      .updateTable('library')
      .set({ settings: JSON.stringify(settings) })
      .where('id', '=', 1)
      .execute();
  await store({ player: { keyColor: '#000000' } });
  expect((await libraries.findLibrary(1))?.settings.player).toMatchObject({ keyColor: '#000000', uiLanguage: 'en' });
  await store({ player: { keyColor: 5 } });
  await expect(libraries.findLibrary(1)).rejects.toThrow('/player/keyColor');
});
