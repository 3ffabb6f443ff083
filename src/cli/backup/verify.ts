import path from 'node:path';
import { readOwnSettings } from '../../config/settings.ts';
import { Refused } from '../../lib/refused.ts';
import { readSecretKey } from '../../service/first-start.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { verifyBackup } from './verify-backup.ts';

/** `millrace verify FOLDER`: verifies a backup without restoring it. Returns exit code 1 if the backup has errors. */
export async function verify(args: readonly string[]): Promise<number> {
  const [folder] = args;
  if (folder === undefined || args.length > 1)
    throw new Refused('invalid', `expected one folder, got ${args.length}: verify FOLDER.`);
  const source = path.resolve(folder);
  const manifest = await readManifest(source);
  if (manifest === null) throw new Refused('not-found', `expected a backup, but ${source} has no backup.json.`);
  const secretKey = await readBackupKey(source, manifest);
  const { found, objects } = await verifyBackup({ folder: source, manifest }, secretKey);
  for (const fault of found) process.stdout.write(`${fault}\n`);
  if (objects < manifest.objects)
    process.stdout.write('This backup has no hashes of its objects. Create a new backup.\n');
  if (secretKey === null) process.stdout.write('The key was not checked: set MILLRACE_SECRET_KEY.\n');
  const sum = `${manifest.tables.length} tables, ${manifest.objects} objects, ${manifest.bytes} bytes`;
  process.stdout.write(
    found.length === 0
      ? `The backup of ${manifest.createdAt} is complete: ${sum}.\n`
      : `The backup of ${manifest.createdAt} has ${found.length} errors: ${sum}.\n`,
  );
  return found.length === 0 ? 0 : 1;
}

/**
 * Returns the key for the secrets of a backup: the key in the backup, or else the configured key, or null if there is
 * neither.
 */
export async function readBackupKey(source: string, { hasSecretKey }: Manifest): Promise<Uint8Array | null> {
  return hasSecretKey ? await readSecretKey(source) : readOwnSettings().secretKey;
}
