import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../src/lib/has-code.ts';
import { Refused } from '../src/lib/refused.ts';
import { projectRoot, runScript } from './run-program.ts';

/** `millrace bench NAME`: runs `bench/NAME.ts` and passes the remaining arguments to it. */
export async function bench([name, ...args]: readonly string[]): Promise<number> {
  const names = await benchNames();
  if (name !== undefined && names.includes(name)) return await runScript([join('bench', `${name}.ts`), ...args]);
  const known = names.length > 0 ? names.join(', ') : 'there is none yet';
  throw new Refused('invalid', `expected the name of a benchmark (${known}), got ${name ?? 'none'}.`);
}

async function benchNames(): Promise<string[]> {
  try {
    const files = await readdir(join(projectRoot, 'bench'));
    return files.filter((file) => /^[^.]+\.ts$/.test(file)).map((file) => file.slice(0, -'.ts'.length));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
