import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';

/**
 * Throws `Refused` if the store is a folder that this user cannot create or write. Must be called before the first
 * start creates anything. At later starts, viewers may still read from it, and health checks report the fault.
 */
export function requireStoreFolder({ storage, dataDir }: Pick<Settings, 'storage' | 'dataDir'>): void {
  if (storage.kind !== 'file' || `${storage.folder}/`.startsWith(`${dataDir}/`)) return;
  const { folder } = storage;
  try {
    accessSync(nearestOf(folder), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const wanted = `a folder that user ${process.getuid?.()} can write`;
    const message = `MILLRACE_STORAGE: expected ${wanted}, got ${folder} (${Object(cause).code ?? cause}).`;
    throw new Refused('invalid', message, { cause });
  }
}

/** Returns the path, or its nearest parent that exists, with a slash, so that access fails if it is a file. */
function nearestOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? nearestOf(dirname(path)) : `${path}/`;
}
