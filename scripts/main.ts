import { Refused } from '../src/lib/refused.ts';

/** Developer commands of `bin/millrace.js`. Each loads its code when it runs. */
const commands: Record<string, (args: readonly string[]) => Promise<number>> = {
  test: async (args) => await (await import('./run-tests.ts')).runTests(args),
  check: async () => await (await import('./check.ts')).check(),
  soak: async (args) => await (await import('./soak.ts')).soak(args),
  release: async (args) => await (await import('./release.ts')).release(args),
  bench: async (args) => await (await import('./bench.ts')).bench(args),
  mutate: async (args) => await (await import('./mutate.ts')).mutate(args),
};

/** Runs a developer command and returns its exit code. */
export async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const run = commands[name];
  if (run === undefined) throw new Error(`Expected one of ${Object.keys(commands).join(', ')}, got "${name}".`);
  try {
    return await run(args);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stderr.write(`millrace ${name}: ${error.message}\n`);
    return 1;
  }
}
