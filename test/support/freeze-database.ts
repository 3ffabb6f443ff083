import { readFileSync } from 'node:fs';
import path from 'node:path';
import { descendantsOf } from '../house/service.ts';
import type { TestDatabase } from './database.ts';
import { signalAll } from './signal-all.ts';

/** Stops all processes of a database server where they stand (SIGSTOP); what is answered has them go on. */
export function freezeDatabase({ config }: Pick<TestDatabase, 'config'>): () => void {
  return freezeCluster(path.join(String(config.host), 'data'));
}

/** The same of the server that runs on a folder of PostgreSQL's data. */
export function freezeCluster(folder: string): () => void {
  const postmaster = Number(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  // The first one stopped makes no more of the others. Without it there is nothing to freeze, and this throws.
  process.kill(postmaster, 'SIGSTOP');
  const all = [postmaster, ...descendantsOf(postmaster).map(({ pid }) => pid)];
  signalAll(all, 'SIGSTOP');
  return () => signalAll(all, 'SIGCONT');
}
