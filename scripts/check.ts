import { type CheckStep, checkSteps } from './check-steps.ts';
import { projectRoot } from './run-program.ts';

/** `millrace check`: runs every step and prints the findings of each one that fails. */
export async function check(): Promise<number> {
  const results = await Promise.all(checkSteps.map(async (step) => ({ step, ...(await step.run(projectRoot)) })));
  const failed = results.filter((result) => result.code !== 0);
  for (const { step, output } of failed) process.stdout.write(`\n== ${describe(step)}: failed ==\n${output.trim()}\n`);
  process.stdout.write('\n');
  for (const { step, code } of results) process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${describe(step)}\n`);
  process.stdout.write(`${results.length - failed.length} checks passed, ${failed.length} failed\n`);
  return failed.length === 0 ? 0 : 1;
}

function describe({ name, what }: CheckStep): string {
  return `${name} (${what})`;
}
