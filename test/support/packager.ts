import { builtInKeySource } from '../../src/adapters/drm-key-source/built-in-key-source.ts';
import type { Db } from '../../src/catalog/db.ts';
import { createPackager, type Packager } from '../../src/catalog/drm/packager.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import type { SchemeName } from '../../src/ports/drm-key-source.ts';

/** Key that seals the secrets of test libraries. */
export const TEST_SECRET: Buffer = Buffer.alloc(32, 7);

/** Returns a packager that creates keys for videos, encrypted with the secret of test edges. */
export function createTestPackager(db: Db, scheme: SchemeName = 'cbcs'): Packager {
  return createPackager({ db, secretBox: createSecretBox(TEST_SECRET), keySource: builtInKeySource, scheme });
}
