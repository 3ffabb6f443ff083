import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  beginSnapshot,
  type CopyClient,
  copyRowsOut,
  type GrownSchema,
  readGrownSchema,
} from '../../catalog/backup/table-copy-store.ts';
import { UNHURRIED } from '../../catalog/db.ts';
import { noteBackup } from '../../catalog/system/system-store.ts';
import { readOwnSettings, type Settings } from '../../config/settings.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { makeFolders } from '../../lib/make-folders.ts';
import { Refused } from '../../lib/refused.ts';
import { readVersion } from '../../lib/version.ts';
import { keepSecretKey, readSecretKey } from '../../service/first-start.ts';
import { openLog } from '../../service/log.ts';
import { type Opened, withStore } from '../with-store.ts';
import { copyObjectsOut, findGoneObjects } from './copy-objects.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import { type ObjectList, readObjectList, writeObjectList } from './object-list.ts';
import { findRowFaults } from './verify-backup.ts';

const LIMIT_MS = 7 * 24 * 3_600_000;
const TABLES = 'tables-';

/**
 * `millrace backup FOLDER`: copies every object, then a snapshot of the database, then the objects that were added in
 * the meantime. Another run into the same folder only copies new objects. The previous backup stays valid until this
 * one is complete.
 */
export async function backup(args: readonly string[]): Promise<number> {
  const [folder] = args;
  if (folder === undefined || args.length > 1)
    throw new Refused('invalid', `expected one folder, got ${args.length}: backup FOLDER.`);
  const target = path.resolve(folder);
  await makeTarget(target);
  if ((await readManifest(target)) === null && (await readdir(target)).some((name) => !isOurs(name))) {
    throw new Refused('conflict', `expected an empty folder or an earlier backup, but ${target} is neither.`);
  }
  await chmod(target, 0o700);
  openLog('backup');
  logEvent('backup.begun', { path: target });
  try {
    return await withStore(async (opened) => await backUp(target, opened), UNHURRIED);
  } catch (error) {
    if (!(error instanceof Refused)) logEvent('backup.failed', { err: error });
    throw error;
  }
}

/**
 * Creates the folder, and checks that it is writable. Throws `Refused` if the folder is inside the store, because the
 * backup would contain itself.
 */
async function makeTarget(target: string): Promise<void> {
  const { storage } = readOwnSettings();
  if (storage.kind === 'file' && `${target}/`.startsWith(`${storage.folder}/`)) {
    throw new Refused('invalid', `expected a folder outside of the store, but ${target} is inside ${storage.folder}.`);
  }
  try {
    await makeFolders(target);
    await access(target, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Refused('invalid', `expected a folder that can be written, but ${target} cannot: ${messageOf(cause)}.`, {
      cause,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isOurs(name: string): boolean {
  return name.startsWith(TABLES) || ['objects', 'secret.key', 'secret.key.new', 'backup.json.new'].includes(name);
}

async function backUp(target: string, { settings, database, storage }: Opened): Promise<number> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const createdAt = new Date();
  const tablesFolder = `${TABLES}${createdAt.getTime()}`;
  const objectsFolder = path.join(target, 'objects');
  await mkdir(path.join(target, tablesFolder));
  await mkdir(objectsFolder, { recursive: true });
  // Copies most objects before the rows, and only the new ones after them, because objects that rows refer to may be
  // deleted minutes after the rows were read.
  const copying = { folder: objectsFolder, hashes: new Map<string, string>() };
  const source = { storage, known: await readPreviousList(target) };
  const early = await copyObjectsOut(source, copying, signal);
  const gone = await findGoneObjects(storage, objectsFolder);
  const secretKey = await readOwnKey(settings);
  const client = await database.pool.connect();
  let rows: Pick<Manifest, keyof GrownSchema>;
  try {
    rows = await copyDatabase(client, path.join(target, tablesFolder));
    client.release();
  } catch (error) {
    // After a failed copy the connection may wait forever, so it is closed.
    client.release(true);
    throw error;
  }
  // The list has only the objects that this second pass found, because all others were deleted in the meantime.
  const hashes = new Map<string, string>();
  const late = await copyObjectsOut({ ...source, known: copying.hashes }, { ...copying, hashes }, signal);
  const { objects, bytes } = late;
  await writeObjectList(path.join(target, tablesFolder), hashes);
  requireSameKey(secretKey, await readOwnKey(settings));
  if (secretKey !== null) await keepSecretKey(target, secretKey);
  const facts = { version: readVersion(), createdAt: createdAt.toISOString(), hasSecretKey: secretKey !== null };
  await writeManifest(target, { ...facts, tablesFolder, ...rows, objects, bytes });
  const old = (await readdir(target)).filter((name) => name.startsWith(TABLES) && name !== tablesFolder);
  for (const name of old) await rm(path.join(target, name), { recursive: true });
  for (const name of gone) await rm(path.join(objectsFolder, name), { force: true });
  // The backup is complete even if the database of an earlier version cannot store this record.
  await noteBackup(database.db, { madeAt: createdAt, objects, bytes, place: target }).catch((error: Error) =>
    process.stderr.write(`The dashboard will not show this backup: ${error.message}\n`),
  );
  logEvent('backup.finished', { count: objects, bytes, durationSec: (Date.now() - createdAt.getTime()) / 1000 });
  process.stdout.write(
    `${rows.tables.length} tables, ${objects} objects, ${bytes} bytes; ${early.copied + late.copied} objects copied.\n`,
  );
  if (secretKey === null)
    process.stdout.write('MILLRACE_SECRET_KEY is not part of the backup: store it in a different place.\n');
  return await reportFaults(target);
}

async function readOwnKey({ secretKey, dataDir }: Settings): Promise<Uint8Array | null> {
  return secretKey === null ? await readSecretKey(dataDir) : null;
}

/** The key must be the one that sealed the copied rows. Within a rotation, the rows contain both keys. */
function requireSameKey(before: Uint8Array | null, now: Uint8Array | null): void {
  if (before === now || (before !== null && now !== null && Buffer.compare(before, now) === 0)) return;
  throw new Refused('conflict', 'the secret key was rotated during the backup. Run the backup again.');
}

/**
 * Compares the copied objects with the hashes in the copied rows. Reports objects that are damaged in the store or
 * missing from it. The backup is complete nevertheless: it contains damaged objects unchanged.
 */
async function reportFaults(target: string): Promise<number> {
  const manifest = await readManifest(target);
  if (manifest === null) throw new Error(`Expected the manifest that was just written to ${target}, found none.`);
  const { missing, damaged } = await findRowFaults({ folder: target, manifest });
  for (const fault of [...damaged.values(), ...missing]) process.stderr.write(`${fault}\n`);
  // Objects that are deleted during the last seconds of a backup are missing too.
  return damaged.size === 0 ? 0 : 1;
}

async function readPreviousList(target: string): Promise<ObjectList | null> {
  const previous = await readManifest(target);
  return previous === null ? null : await readObjectList(path.join(target, previous.tablesFolder));
}

async function copyDatabase(client: CopyClient, folder: string): Promise<Pick<Manifest, keyof GrownSchema>> {
  await beginSnapshot(client);
  const schema = await readGrownSchema(client);
  const tables: Manifest['tables'] = [];
  for (const { name, columns } of schema.tables) {
    const hash = createHash('sha256');
    const rows = copyRowsOut(client, { name, columns });
    rows.on('data', (data: Buffer) => hash.update(data));
    await pipeline(rows, createWriteStream(path.join(folder, name), { flush: true, mode: 0o600 }));
    tables.push({ name, columns: [...columns], sha256: hash.digest('hex') });
  }
  await client.query('rollback');
  const { migrations, partitions, sequences } = schema;
  return { migrations: [...migrations], tables, partitions: [...partitions], sequences: [...sequences] };
}
