import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openRotation } from '../../catalog/system/secret-rotation.ts';
import { hasCode } from '../../lib/has-code.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { createSecretBox, type SecretKeys, WrongSecretKey } from '../../lib/secret-box.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { objectOf } from '../../ports/packed-key.ts';
import { storageKey } from '../../ports/storage.ts';
import { bytesOf, readCopiedRows } from './copy-rows.ts';
import type { Manifest } from './manifest.ts';
import { type ObjectList, readObjectList } from './object-list.ts';

const MAX_CONCURRENT_READS = 4;

type Backup = { folder: string; manifest: Manifest };

/** `found`: a sentence for each damaged or missing part. `damaged`: the keys of those parts that are objects. */
export type Verified = { found: string[]; damaged: ReadonlySet<string>; objects: number };

/**
 * Verifies a backup without restoring it. Checks the hash of each table and object, whether all objects that rows refer
 * to exist, and whether the key decrypts the secrets. If `secretKey` is null, the key is not checked.
 */
export async function verifyBackup(backup: Backup, secretKey: Uint8Array | null): Promise<Verified> {
  const tables = await verifyTables(backup);
  const { found, damaged, objects } = await verifyObjects(backup);
  // Rows of a damaged table would cause misleading findings.
  if (tables.length > 0) return { found: [...tables, ...found], damaged, objects };
  const rows = await findRowFaults(backup);
  const faults = [...rows.missing, ...rows.damaged.values(), ...(await verifySecrets(backup, secretKey))];
  return { found: [...faults, ...found], damaged: new Set([...damaged, ...rows.damaged.keys()]), objects };
}

async function verifyTables({ folder, manifest }: Backup): Promise<string[]> {
  const found: string[] = [];
  for (const { name, sha256 } of manifest.tables) {
    const file = path.join(manifest.tablesFolder, name);
    const fault = await describeFault(path.join(folder, file), sha256);
    if (fault !== null) found.push(`table ${file}: ${fault}`);
  }
  return found;
}

async function verifyObjects({ folder, manifest }: Backup): Promise<Verified> {
  const list = await readObjectList(path.join(folder, manifest.tablesFolder));
  if (list === null) return { found: [], damaged: new Set(), objects: 0 };
  const found: string[] = [];
  const damaged = new Set<string>();
  await inParallel(list, MAX_CONCURRENT_READS, async ([key, sha256]) => {
    const fault = await describeFault(path.join(folder, 'objects', key), sha256);
    if (fault === null) return;
    found.push(`object ${key}: ${fault}`);
    damaged.add(key);
  });
  if (list.size !== manifest.objects) found.push(`expected ${manifest.objects} objects in the list, got ${list.size}`);
  return { found: found.sort((a, b) => a.localeCompare(b)), damaged, objects: list.size };
}

/** Returns why a file does not have the expected hash, or null if it has that hash. */
async function describeFault(file: string, expected: string): Promise<string | null> {
  try {
    const sha256 = (await sha256Of(createReadStream(file))).toString('hex');
    return sha256 === expected ? null : `damaged, expected the SHA-256 ${expected}, got ${sha256}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'missing';
    return `unreadable (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Descriptions of objects that are missing or damaged according to the rows. `damaged` is a map by key. */
type RowFaults = { missing: string[]; damaged: ReadonlyMap<string, string> };

/**
 * Finds objects that rows refer to and that are missing from the backup, and objects whose bytes have changed since
 * they were written. Rows contain the hashes of chunks and originals.
 */
export async function findRowFaults(backup: Backup): Promise<RowFaults> {
  const { folder, manifest } = backup;
  const list: ObjectList | null = await readObjectList(path.join(folder, manifest.tablesFolder));
  // An object that was deleted during the backup is in the folder, but not in the list.
  const isThere = async (key: string) => list?.has(key) === true || (await exists(path.join(folder, 'objects', key)));
  const missing = new Set<string>();
  const damaged = new Map<string, string>();
  for (const { table, key: keyColumn, sha256: hashColumn } of REFERENCES) {
    for await (const row of readCopiedRows(backup, table, [keyColumn, hashColumn])) {
      const key = row[keyColumn] ?? '';
      if (key === '') continue;
      const object = objectOf(storageKey(key));
      if (!(await isThere(object))) missing.add(`object ${object}: missing, although ${table} refers to it`);
      // For a chunk in a pack, the hash in the row covers only a part of the object, so it is not compared.
      const expected = object === key ? bytesOf(row[hashColumn] ?? null).toString('hex') : '';
      const copied = list?.get(key) ?? expected;
      if (expected === '' || copied === expected) continue;
      damaged.set(key, `object ${key}: damaged in the store, expected the SHA-256 ${expected}, got ${copied}`);
    }
  }
  return { missing: [...missing].sort((a, b) => a.localeCompare(b)), damaged };
}

/** Columns with the keys of objects, and the columns with their hashes. */
const REFERENCES = [
  { table: 'chunk', key: 'storage_key', sha256: 'sha256' },
  { table: 'media', key: 'source_key', sha256: 'source_sha256' },
] as const;

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

async function verifySecrets(backup: Backup, secretKey: Uint8Array | null): Promise<string[]> {
  if (secretKey === null) return [];
  const keys = await keysOf(backup, secretKey);
  if (keys === null) return [WRONG_KEY];
  const box = createSecretBox(...keys);
  for await (const { api_key_sealed: sealed } of readCopiedRows(backup, 'library', ['api_key_sealed'])) {
    try {
      box.open(bytesOf(sealed ?? null));
    } catch (error) {
      if (!(error instanceof WrongSecretKey)) throw error;
      return [WRONG_KEY];
    }
  }
  return [];
}

const WRONG_KEY = 'secret key: it does not open the secrets of this backup, expected the key of the backed-up service';

/** Returns both keys of a rotation that was in progress during the backup. Null if neither is the given one. */
async function keysOf(backup: Backup, secretKey: Uint8Array): Promise<SecretKeys | null> {
  // Backups of earlier versions have no such table.
  if (!backup.manifest.tables.some(({ name }) => name === 'secret_rotation')) return [secretKey];
  const columns = ['old_id', 'new_id', 'new_key_wrapped', 'old_key_wrapped'];
  for await (const row of readCopiedRows(backup, 'secret_rotation', columns)) {
    const wrapped = {
      newKeyWrapped: bytesOf(row.new_key_wrapped ?? null),
      oldKeyWrapped: bytesOf(row.old_key_wrapped ?? null),
    };
    const both = openRotation({ oldId: row.old_id ?? '', newId: row.new_id ?? '', ...wrapped }, secretKey);
    return both === null ? null : [both.newKey, both.oldKey];
  }
  return [secretKey];
}
