import { closeSync, existsSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { tryLock } from '../../src/lib/try-lock.ts';
import type {} from './run-folder.ts';

const LOOK_MS = 200;

/**
 * Returns the path of a file or folder that all tests of a run share. The first caller creates it with `make` while the
 * others wait. It must not be changed afterwards.
 */
export async function onceARun(name: string, make: (place: string) => Promise<void>): Promise<string> {
  const folder = inject('runFolder');
  const ready = path.join(folder, name);
  while (!existsSync(ready)) {
    const lock = tryLock(`${ready}.lock`);
    if (lock === null) {
      await sleep(LOOK_MS);
      continue;
    }
    try {
      if (existsSync(ready)) break;
      const draft = path.join(await mkdtemp(path.join(folder, 'making-')), name);
      await make(draft);
      await rename(draft, ready);
    } finally {
      closeSync(lock);
    }
  }
  return ready;
}
