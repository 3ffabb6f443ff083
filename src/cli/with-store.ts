import { type Database, type DatabaseOptions, openDatabase } from '../catalog/db.ts';
import { openPlaces } from '../compose/storage.ts';
import { readOwnSettings, type Settings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';
import type { Storage } from '../ports/storage.ts';
import { connectionTo } from './supervisor/postgres.ts';
import { placesIn } from './supervisor/postgres-places.ts';
import { databaseAnswers } from './supervisor/reach-database.ts';

export type Opened = { settings: Settings; database: Database; storage: Storage };

/** Runs a command on the configured database and store. A built-in database must be running. */
export async function withStore(
  task: (opened: Opened) => Promise<number>,
  limits: Partial<DatabaseOptions> = {},
): Promise<number> {
  return await withDatabase(async (database, settings) => {
    const { storage } = await openPlaces(settings);
    return await task({ settings, database, storage });
  }, limits);
}

/** Runs a command on the configured database. */
export async function withDatabase(
  task: (database: Database, settings: Settings) => Promise<number>,
  limits: Partial<DatabaseOptions> = {},
): Promise<number> {
  const settings = readOwnSettings();
  const { databaseUrl, dataDir } = settings;
  const connection = databaseUrl === null ? connectionTo(placesIn(dataDir)) : { connectionString: databaseUrl };
  const { ok, detail } = await databaseAnswers(connection);
  if (!ok) {
    const cure = databaseUrl === null ? `start the service on ${dataDir} first` : 'see MILLRACE_DATABASE_URL';
    throw new Refused('unavailable', `the database cannot be reached (${detail}): ${cure}.`);
  }
  const database = openDatabase({ ...connection, ...limits, max: 2 }, () => undefined);
  try {
    return await task(database, settings);
  } finally {
    await database.close();
  }
}
