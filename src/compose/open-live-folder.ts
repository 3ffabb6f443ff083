import { closeSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Guid, newGuid, parseGuid } from '../lib/guid.ts';
import { quote } from '../lib/quote.ts';
import { Refused } from '../lib/refused.ts';
import { tryLock } from '../lib/try-lock.ts';

const LOOK_EVERY_MS = 100;
/** Time in ms in which an ingest process ends after its supervisor was killed. */
const PATIENCE_MS = 5_000;

/** Folder of an ingest process, locked by it. `nodeId` stays the same across restarts. */
type LiveFolder = { nodeId: Guid; release(): void };

/**
 * Opens the folder with the journal of an ingest process, and locks it: a second process on it would own the streams of
 * the first one and overwrite its journal. Waits for a process that is ending. Throws `Refused` (`conflict`) if another
 * process keeps the lock. The kernel releases the lock when the process ends, for any reason.
 */
export async function openLiveFolder(folder: string): Promise<LiveFolder> {
  await mkdir(folder, { recursive: true });
  const release = await lock(folder);
  return { nodeId: await readNodeId(folder), release };
}

async function lock(folder: string): Promise<() => void> {
  const startedMs = performance.now();
  for (;;) {
    const handle = tryLock(join(folder, 'lock'));
    if (handle !== null) return () => closeSync(handle);
    if (performance.now() - startedMs > PATIENCE_MS) {
      throw new Refused(
        'conflict',
        `Expected a folder for this ingest process alone, got ${quote(folder)}, which another ingest process uses. ` +
          'Stop that process, or set MILLRACE_DATA_DIR to a different folder.',
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

async function readNodeId(folder: string): Promise<Guid> {
  const path = join(folder, 'node-id');
  const known = await readFile(path, 'utf8').then(parseGuid, () => null);
  if (known !== null) return known;
  const id = newGuid();
  await writeFile(path, id, { mode: 0o600 });
  return id;
}
