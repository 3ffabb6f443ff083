import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasEnded, requestDrain } from '../catalog/system/drain-store.ts';
import { Refused } from '../lib/refused.ts';
import { withDatabase } from './with-store.ts';

/**
 * Maximum time in ms until a process exits after a request: until it notices the request, the delay for load balancers,
 * and the rest of its work.
 */
const PATIENCE_MS = 60_000;
const LOOK_MS = 500;

/**
 * `millrace drain NODE [--force]`: requests that a process finishes or returns its work and exits, and waits for the
 * exit. Returns exit code 1 if the process still runs after a minute.
 */
export async function drain(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { force: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) {
    const got = positionals.length;
    throw new Refused('invalid', `expected one process, got ${got}: drain NODE [--force]. NODE is an id or HOST/ROLE.`);
  }
  return await withDatabase(async ({ db }) => {
    const node = await requestDrain(db, name, { isForced: values.force === true });
    const label = `${node.host}/${node.role} (${node.id})`;
    process.stdout.write(`${label} drains.\n`);
    const startedMs = performance.now();
    while (performance.now() - startedMs < PATIENCE_MS) {
      if (await hasEnded(db, node)) {
        process.stdout.write(`${label} has exited.\n`);
        return 0;
      }
      await sleep(LOOK_MS);
    }
    process.stderr.write(`millrace drain: ${label} has not exited within ${PATIENCE_MS / 1000} s. See its log.\n`);
    return 1;
  });
}
