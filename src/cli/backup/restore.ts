import { createReadStream } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isNeverUsed, putRowsBack } from '../../catalog/backup/table-copy-store.ts';
import { type Database, openDatabase, UNHURRIED } from '../../catalog/db.ts';
import { migrate } from '../../catalog/migrate-store.ts';
import { openPlaces } from '../../compose/storage.ts';
import { readOwnSettings, type Settings } from '../../config/settings.ts';
import { adoptStores } from '../../jobs/store/store-guard.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { Storage } from '../../ports/storage.ts';
import { keepSecretKey, readSecretKey } from '../../service/first-start.ts';
import { openLog } from '../../service/log.ts';
import { DataLock, makeDataDir } from '../supervisor/data-lock.ts';
import { EmbeddedPostgres, POSTGRES_EVENTS } from '../supervisor/postgres.ts';
import { putObjectsBack } from './copy-objects.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { readBackupKey } from './verify.ts';
import { verifyBackup } from './verify-backup.ts';

const LIMIT_MS = 7 * 24 * 3_600_000;
const LOOK_MS = 15_000;

/**
 * `millrace restore FOLDER`: restores a backup into the configured database and store, which must be unused. It first
 * verifies the backup. If the backup has errors, it reports each of them and changes nothing. With `--skip-damaged`, it
 * restores the undamaged objects. It restores objects first and rows last, in one transaction, so that an interrupted
 * restore can be run again.
 */
export async function restore(args: readonly string[]): Promise<number> {
  const options = { 'skip-damaged': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new Refused('invalid', `expected one folder, got ${positionals.length}: restore FOLDER.`);
  const source = path.resolve(folder);
  const manifest = await readManifest(source);
  if (manifest === null) throw new Refused('not-found', `expected a backup, but ${source} has no backup.json.`);
  const settings = readOwnSettings();
  const omitted = await requireSound({ source, manifest, settings }, values['skip-damaged']);
  makeDataDir(settings.dataDir);
  const lock = await DataLock.take(settings.dataDir);
  try {
    await withDatabase(settings, async (database) => await putBack({ source, manifest, settings, omitted }, database));
    return 0;
  } finally {
    lock.release();
  }
}

/**
 * Throws `Refused` with every damaged or missing part. If damaged objects are to be skipped, returns them instead.
 * Damaged tables and a wrong key are never skipped.
 */
async function requireSound(
  { source, manifest }: Omit<Backup, 'omitted'>,
  skipsDamaged: boolean,
): Promise<ReadonlySet<string>> {
  const key = await readBackupKey(source, manifest);
  const { found, damaged } = await verifyBackup({ folder: source, manifest }, key);
  if (found.length === 0) return damaged;
  const list = found.map((fault) => `\n  ${fault}`).join('');
  const isPassable = found.every((fault) => fault.startsWith('object '));
  if (!isPassable) throw new Refused('invalid', `the backup cannot be restored:${list}`);
  if (!skipsDamaged) {
    throw new Refused('invalid', `the backup is damaged:${list}\nRestore the rest with: restore --skip-damaged FOLDER`);
  }
  process.stderr.write(`These objects are not restored:${list}\n`);
  return damaged;
}

type Backup = { source: string; manifest: Manifest; settings: Settings; omitted: ReadonlySet<string> };

async function putBack({ source, manifest, settings, omitted }: Backup, { db, pool }: Database): Promise<void> {
  const client = await pool.connect();
  try {
    const { storage } = await openPlaces(settings);
    if (!(await isNeverUsed(client))) {
      throw new Refused(
        'conflict',
        'expected a database without libraries, got one that has some: set MILLRACE_DATA_DIR to a new folder.',
      );
    }
    await requireUnmarked(storage);
    logEvent('restore.begun', { path: source });
    const startedMs = performance.now();
    await migrate(db, manifest.migrations);
    await putSecretKey(source, manifest, settings);
    const { objects, bytes } = await putObjectsBack(
      storage,
      { folder: path.join(source, 'objects'), omitted },
      AbortSignal.timeout(LIMIT_MS),
    );
    const tables = new Map(manifest.tables.map((table) => [table.name, table]));
    await putRowsBack(client, manifest, async ({ name }) => {
      const file = path.join(source, manifest.tablesFolder, name);
      await requireHash(file, tables.get(name)?.sha256 ?? '');
      return createReadStream(file);
    });
    await adoptStores({ db, storage });
    logEvent('restore.finished', { count: objects, durationSec: (performance.now() - startedMs) / 1000 });
    const { version, createdAt } = manifest;
    process.stdout.write(
      `Restored what Millrace ${version} had at ${createdAt}: ${manifest.tables.length} tables, ${objects} ` +
        `objects, ${bytes} bytes.\n`,
    );
  } finally {
    client.release();
  }
}

/**
 * Throws `Refused` if the store belongs to a database, because a restore must not write to another database's store.
 */
async function requireUnmarked(storage: Storage): Promise<void> {
  for (const mark of storage.marks) {
    const text = await mark.read(AbortSignal.timeout(LOOK_MS));
    if (text !== null) {
      throw new Refused('conflict', `expected a store without a database, but ${mark.location} belongs to one.`);
    }
  }
}

/**
 * Installs the secret key of the service that was backed up, because only this key can decrypt the secrets in the
 * database.
 */
async function putSecretKey(source: string, { hasSecretKey }: Manifest, settings: Settings): Promise<void> {
  if (!hasSecretKey) {
    if (settings.secretKey !== null) return;
    throw new Refused('invalid', 'MILLRACE_SECRET_KEY: expected the key of the service that was backed up, got none.');
  }
  const key = await readSecretKey(source);
  if (key === null)
    throw new Refused(
      'not-found',
      `expected secret.key in ${source}, found none. Copy the key of the backed-up service there.`,
    );
  await keepSecretKey(settings.dataDir, key);
}

async function requireHash(file: string, expected: string): Promise<void> {
  const found = (await sha256Of(createReadStream(file))).toString('hex');
  if (found !== expected) throw new Refused('invalid', `expected ${file} unchanged, but its SHA-256 is ${found}.`);
}

async function withDatabase(settings: Settings, task: (database: Database) => Promise<void>): Promise<void> {
  const { databaseUrl, dataDir } = settings;
  openLog('restore');
  const postgres =
    databaseUrl === null
      ? await EmbeddedPostgres.start({
          dataDir,
          changed: () => undefined,
          log: (level, reason) => logEvent(POSTGRES_EVENTS[level], { reason }),
        })
      : null;
  const connection = postgres === null ? { connectionString: databaseUrl ?? '' } : postgres.connection;
  // PostgreSQL then ends the connections that are still closing.
  let isDone = false;
  const database = openDatabase(
    { ...connection, limits: { ...UNHURRIED.limits, idleTransactionMs: 0 }, max: 3 },
    (error) => {
      if (!isDone) logEvent('database.connection-lost', { err: error });
    },
  );
  try {
    await task(database);
  } finally {
    isDone = true;
    await database.close();
    await postgres?.stop();
  }
}
