import { hkdfSync } from 'node:crypto';
import type { Db } from '../catalog/db.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import type { RoleSettings } from '../config/settings.ts';
import { createSecretBox } from '../lib/secret-box.ts';

const SECRET_BYTES = 32;

/** The secret of play sessions: every edge that has the secret key has the same one. */
export function playSessionSecret(secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace play sessions', SECRET_BYTES));
}

/** Picks where the keys of protected videos come from. */
export async function openPackager(settings: RoleSettings, db: Db): Promise<Packager> {
  const [{ createPackager }, { builtInKeySource }] = await Promise.all([
    import('../catalog/drm/packager.ts'),
    import('../adapters/drm-key-source/built-in.ts'),
  ]);
  const secretBox = createSecretBox(settings.secretKey);
  return createPackager({ db, secretBox, keySource: builtInKeySource, scheme: settings.drmScheme });
}
