import { readFileSync } from 'node:fs';
import path from 'node:path';
import { descendantsOf } from '../house/service.ts';
import type { TestDatabase } from './database.ts';
import { signalAll } from './signal-all.ts';

/** Stops all processes of a database server (SIGSTOP). The returned function resumes them. */
export function freezeDatabase({ config }: Pick<TestDatabase, 'config'>): () => void {
  return freezeCluster(path.join(String(config.host), 'data'));
}

/** Does the same for the server of a PostgreSQL data folder. */
export function freezeCluster(folder: string): () => void {
  const postmaster = Number(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  // A suspended postmaster starts no more processes. Throws if the postmaster is not running.
  process.kill(postmaster, 'SIGSTOP');
  const all = [postmaster, ...descendantsOf(postmaster).map(({ pid }) => pid)];
  signalAll(all, 'SIGSTOP');
  return () => signalAll(all, 'SIGCONT');
}
