import { type Database, openDatabase, UNHURRIED } from '../catalog/db.ts';
import { isDatabaseAway, isDatabaseReadOnly } from '../catalog/is-database-away.ts';
import { migrate } from '../catalog/migrate-store.ts';
import { sharesSessions } from '../catalog/shares-sessions-store.ts';
import { loadSecretKeys } from '../catalog/system/secret-rotation-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';
import { createSecretBox, WrongSecretKey } from '../lib/secret-box.ts';
import { type FirstLibrary, keepPendingKeys, readPendingKeys } from '../service/first-start.ts';
import { connectionName, whenSlotsAreFree } from './connections.ts';

/**
 * Migrates the database to this version, and finds or creates library 1. Runs before any role starts. Idempotent. The
 * keys of a new library are kept in the data folder until they are shown.
 */
export async function openFirstLibrary(settings: RoleSettings): Promise<FirstLibrary> {
  const connection = { ...settings.database, application_name: connectionName('start') };
  await requireSessions(connection);
  const database = openDatabase({ ...connection, ...UNHURRIED, max: 2 }, () => undefined);
  try {
    await whenSlotsAreFree(database.pool, { fromPool: 2, outsidePool: 0, most: 2 });
    await migrate(database.db).catch((error: unknown) => {
      throw unableToMigrate(error);
    });
    return await ensureLibrary(settings, database);
  } catch (error) {
    throw error instanceof WrongSecretKey ? wrongSecretKey(error) : error;
  } finally {
    await database.close();
  }
}

async function ensureLibrary(settings: RoleSettings, { db }: Pick<Database, 'db'>): Promise<FirstLibrary> {
  const { adoptAccountKey, ensureFirstLibrary } = await import('../catalog/libraries/first-library-store.ts');
  const { createSignInLink } = await import('../catalog/keys/session-store.ts');
  const { accountKey, dataDir } = settings;
  const pending = await readPendingKeys(dataDir);
  const secretBox = createSecretBox(...(await loadSecretKeys(db, settings.secretKey)));
  const found = await ensureFirstLibrary(pending ?? settings, {
    db,
    secretBox,
    keep: async (keys) => await keepPendingKeys(dataDir, keys),
  });
  if (accountKey !== null && accountKey !== found.accountKey) await adoptAccountKey(accountKey, { db });
  const shownKey = found.accountKey ?? pending?.accountKey ?? '';
  const signInSecret = found.created ? await createSignInLink(db, shownKey) : null;
  // An earlier start may have created the library, and exited before it showed the keys.
  const mustShow = found.created || pending?.libraryKey === found.libraryKey;
  return { ...found, mustShow, accountKey: shownKey, signInSecret };
}

/** Throws `Refused` behind a pooler in transaction mode. An unreachable database is reported by the next step. */
export async function requireSessions(connection: RoleSettings['database']): Promise<void> {
  const isShared = await sharesSessions(connection).catch((error: unknown) => {
    if (isDatabaseAway(error)) return false;
    throw error;
  });
  if (!isShared) return;
  throw new Refused(
    'invalid',
    'MILLRACE_DATABASE_URL: expected a separate session for each connection, got a pooler in transaction mode. Set ' +
      'pool_mode = session in PgBouncer, or connect to PostgreSQL directly.',
  );
}

function unableToMigrate(error: unknown): unknown {
  if ((isDatabaseAway(error) && !isDatabaseReadOnly(error)) || error instanceof Refused) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  const message = `MILLRACE_DATABASE_URL: the database could not be brought to the schema of this version (${cause}).`;
  return new Refused('unavailable', message, { cause: error });
}

/** Returns the refusal for a key that does not open the secrets of the database. */
export function wrongSecretKey(cause: WrongSecretKey): Refused {
  const message =
    'MILLRACE_SECRET_KEY: expected the key that the secrets of this database were sealed with, got another. ' +
    'All machines need the same key: that of secret.key in the data folder of the first machine, in base64. ' +
    'If the key was rotated, they need the new one (docs/hardening.md). Nothing was changed.';
  return new Refused('invalid', message, { cause });
}
