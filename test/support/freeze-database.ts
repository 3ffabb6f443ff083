import { readFileSync } from 'node:fs';
import path from 'node:path';
import { descendantsOf } from '../house/service.ts';
import type { TestDatabase } from './database.ts';

/** Stops all processes of a database server where they stand (SIGSTOP); what is answered has them go on. */
export function freezeDatabase({ config }: Pick<TestDatabase, 'config'>): () => void {
  const file = path.join(String(config.host), 'data', 'postmaster.pid');
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  // The first one stopped makes no more of the others.
  process.kill(postmaster, 'SIGSTOP');
  const all = [postmaster, ...descendantsOf(postmaster).map(({ pid }) => pid)];
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of all) process.kill(pid, 'SIGCONT');
  };
}
