import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refused } from '../src/lib/refused.ts';
import { projectRoot } from './run-program.ts';
import { runTests } from './run-tests.ts';

const SUFFIX = '.test.ts';

/** `millrace soak NAME`: runs `test/soak/NAME.test.ts` without a time limit. */
export async function soak([name, ...args]: readonly string[]): Promise<number> {
  const files = await readdir(join(projectRoot, 'test/soak'));
  const names = files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
  if (name === undefined || !names.includes(name)) {
    throw new Refused('invalid', `expected the name of a soak (${names.join(', ')}), got ${name ?? 'none'}.`);
  }
  return await runTests(['--mode', 'soak', `test/soak/${name}${SUFFIX}`, ...args]);
}
