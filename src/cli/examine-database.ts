import { type Database, openDatabase } from '../catalog/db.ts';
import { requireOpenSecrets } from '../catalog/libraries/first-library-store.ts';
import { hasKnownSchema } from '../catalog/migrate-store.ts';
import type { SecretRotation } from '../catalog/system/secret-rotation.ts';
import { loadRotation, loadSecretKeys } from '../catalog/system/secret-rotation-store.ts';
import { mostConnections, openDatabaseCheck } from '../compose/connections.ts';
import { requireSessions, wrongSecretKey } from '../compose/first-library.ts';
import { openPlaces } from '../compose/storage.ts';
import type { DatabaseConnection } from '../config/database.ts';
import { roles } from '../config/roles.ts';
import type { Settings } from '../config/settings.ts';
import { describeForeignStore } from '../jobs/store/store-guard.ts';
import { Refused } from '../lib/refused.ts';
import { createSecretBox, secretKeyId, WrongSecretKey } from '../lib/secret-box.ts';
import { readSecretKey } from '../service/first-start.ts';
import { connectionTo } from './supervisor/postgres.ts';
import { describePackagedPostgres } from './supervisor/postgres-binaries.ts';
import { placesIn } from './supervisor/postgres-places.ts';
import { countConnections, databaseAnswers } from './supervisor/reach-database.ts';

/** Result of one check of `millrace doctor`, which prints it as a line. */
export type Finding = { isGood: boolean; what: string; found: string };

const PROBLEM = { isGood: false, what: 'postgres' };

/**
 * Checks the database: whether it responds, assigns a session to each connection, has free connections and accepts
 * writes, whether its schema fits this version, and whether its secrets and its store belong to these settings. Changes
 * nothing.
 */
export async function examineDatabase(settings: Settings): Promise<Finding[]> {
  const { databaseUrl, dataDir } = settings;
  const connection = databaseUrl === null ? connectionTo(placesIn(dataDir)) : { connectionString: databaseUrl };
  const { ok, detail } = await databaseAnswers(connection);
  if (databaseUrl === null) {
    const packaged = await finding(async () => await describePackagedPostgres());
    // The built-in server runs only while the service runs.
    return ok ? [packaged, ...(await examineContent(settings, connection))] : [packaged];
  }
  if (!ok) return [{ ...PROBLEM, found: detail ?? 'MILLRACE_DATABASE_URL does not respond' }];
  return [
    await finding(async () => {
      await requireSessions(connection);
      return 'MILLRACE_DATABASE_URL is reachable';
    }),
    await examineConnections(settings, connection),
    ...(await examineContent(settings, connection)),
  ];
}

/** Counts the free connections of an external server. The built-in server is used only by this machine. */
async function examineConnections({ databaseConnections }: Settings, connection: DatabaseConnection): Promise<Finding> {
  const need = roles.reduce((sum, role) => sum + mostConnections(role, databaseConnections), 0);
  try {
    const { most, used } = await countConnections(connection);
    const found = `${used} of ${most} connections are open; one role of each kind opens up to ${need}`;
    return { isGood: most - used >= need, what: 'postgres', found };
  } catch (error) {
    return { ...PROBLEM, found: messageOf(error) };
  }
}

async function examineContent(settings: Settings, connection: DatabaseConnection): Promise<Finding[]> {
  const database = openDatabase({ ...connection, max: 2 }, () => undefined);
  try {
    const health = await openDatabaseCheck(database)();
    const writable = { ...PROBLEM, isGood: health.ok, found: health.detail ?? 'the database accepts writes' };
    const schema = await finding(async () =>
      (await hasKnownSchema(database.db)) ? 'this version works with the schema' : NO_SCHEMA,
    );
    if (!schema.isGood || schema.found === NO_SCHEMA) return [writable, schema];
    return [writable, schema, await examineSecrets(settings, database), await examineOwner(settings, database)];
  } finally {
    await database.close();
  }
}

const NO_SCHEMA = 'the database is empty: the first start creates its tables';

async function examineSecrets({ secretKey, dataDir }: Settings, { db }: Database): Promise<Finding> {
  return await finding(async () => {
    const key = secretKey ?? (await readSecretKey(dataDir));
    if (key === null) {
      throw new Refused(
        'invalid',
        `MILLRACE_SECRET_KEY: expected the key of this database, got none, and no key file in ${dataDir}.`,
      );
    }
    let rotation: SecretRotation | null;
    try {
      rotation = await loadRotation(db);
      await requireOpenSecrets({ db, secretBox: createSecretBox(...(await loadSecretKeys(db, key))) });
    } catch (error) {
      throw error instanceof WrongSecretKey ? wrongSecretKey(error) : error;
    }
    const state =
      rotation === null
        ? ''
        : `. A rotation to key ${rotation.newId} is not finished (${rotation.stage}): run "millrace secret rotate"`;
    return `the secret key ${secretKeyId(key)} decrypts the secrets of the database${state}`;
  });
}

async function examineOwner(settings: Settings, { db }: Database): Promise<Finding> {
  try {
    const { storage } = await openPlaces(settings);
    const reason = await describeForeignStore({ db, storage });
    return { isGood: reason === null, what: 'storage', found: reason ?? 'the store belongs to the database' };
  } catch (error) {
    return { isGood: false, what: 'storage', found: messageOf(error) };
  }
}

async function finding(examine: () => Promise<string>): Promise<Finding> {
  try {
    return { isGood: true, what: 'postgres', found: await examine() };
  } catch (error) {
    return { ...PROBLEM, found: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
