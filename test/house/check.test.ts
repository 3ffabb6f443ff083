import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type CheckResult, checkSteps } from '../../scripts/check-steps.ts';
import { projectRoot } from '../../scripts/run-program.ts';

const CONFIGURATION = ['biome.json', '.dependency-cruiser.cjs', 'tsconfig.json', 'knip.json', 'package.json'];
const violations = join(projectRoot, 'test/house/violations');
const projects: string[] = [];

afterEach(async () => {
  for (const project of projects.splice(0)) await rm(project, { recursive: true });
});

const cases = [
  { violation: 'type-error', step: 'types', says: 'TS2322' },
  { violation: 'floating-promise', step: 'lint', says: 'noFloatingPromises' },
  { violation: 'open-switch', step: 'lint', says: 'useExhaustiveSwitchCases' },
  { violation: 'default-export', step: 'lint', says: 'noDefaultExport' },
  { violation: 'console', step: 'lint', says: 'noConsole' },
  { violation: 'environment', step: 'lint', says: 'noProcessEnv' },
  { violation: 'any', step: 'lint', says: 'noExplicitAny' },
  { violation: 'assertion', step: 'lint', says: 'noNonNullAssertion' },
  { violation: 'format', step: 'lint', says: 'format.ts format ' },
  { violation: 'long-function', step: 'lint', says: 'noExcessiveLinesPerFunction' },
  { violation: 'long-file', step: 'lengths', says: ': 301 lines' },
  { violation: 'long-line', step: 'lengths', says: ':2: 121 characters' },
  { violation: 'headless-comment', step: 'language', says: 'opens without a verb or a noun' },
  { violation: 'headless-title', step: 'language', says: 'opens without a verb or a noun' },
  { violation: 'stiff-word', step: 'language', says: '"anew"' },
  { violation: 'misnamed-file', step: 'names', says: 'exports only countBytes' },
  { violation: 'cycle', step: 'layers', says: 'error no-cycles:' },
  { violation: 'type-cycle', step: 'layers', says: 'error no-cycles:' },
  { violation: 'layer-up', step: 'layers', says: 'error layers-lib:' },
  { violation: 'layer-up-type', step: 'layers', says: 'error layers-media:' },
  { violation: 'edge-to-edge', step: 'layers', says: 'error edges-apart:' },
  { violation: 'resource-to-resource', step: 'layers', says: 'error api-resources-apart:' },
  { violation: 'adapter-up', step: 'layers', says: 'error adapters-see-ports-and-lib:' },
  { violation: 'adapter-seen', step: 'layers', says: 'error adapters-seen-by-compose:' },
  { violation: 'settings-seen', step: 'layers', says: 'error settings-seen-by-the-top:' },
  { violation: 'top-seen', step: 'layers', says: 'error top-seen-by-itself:' },
  { violation: 'web-code', step: 'layers', says: 'error web-takes-types:' },
  { violation: 'media-disk', step: 'layers', says: 'error media-plans:' },
  { violation: 'media-network', step: 'layers', says: 'error media-plans:' },
  { violation: 'sql-outside', step: 'layers', says: 'error sql-in-stores:' },
  { violation: 'sql-type-outside', step: 'layers', says: 'error sql-in-stores:' },
  { violation: 'development-package', step: 'layers', says: 'error no-development-packages:' },
  { violation: 'unused-file', step: 'unused', says: 'src/lib/unused-file.ts' },
];

test.each([...new Set(cases.map(({ step }) => step))])('the check of %s finds each of its violations', async (step) => {
  const own = cases.filter((one) => one.step === step);
  const { code, output } = await runStep(step, await makeProject(own.map(({ violation }) => violation)));
  const missed = own.filter(({ violation, says }) => !namesBoth(output, violation, says));
  expect(missed, output).toEqual([]);
  // Biome reports the severity of a rule only in its totals.
  if (step === 'lint') expect(Number(/Found (\d+) errors/.exec(output)?.[1])).toBeGreaterThanOrEqual(own.length);
  expect(code).not.toBe(0);
});

test.each(['types', 'lint', 'layers', 'lengths', 'names', 'language'])(
  'a project without violations passes the check of %s',
  async (step) => {
    expect(await runStep(step, await makeProject([]))).toMatchObject({ code: 0 });
  },
);

/** Creates a project that contains only the named violations, each in files named after it. */
async function makeProject(names: readonly string[]): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'millrace-check-'));
  projects.push(project);
  for (const file of CONFIGURATION) await cp(join(projectRoot, file), join(project, file));
  await symlink(join(projectRoot, 'node_modules'), join(project, 'node_modules'));
  await cp(join(violations, 'clean'), project, { recursive: true });
  for (const name of names) {
    const folder = join(violations, name);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const to = join(project, relative(folder, entry.parentPath), named(entry.name, name));
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, named(await readFile(join(entry.parentPath, entry.name), 'utf8'), name));
    }
  }
  return project;
}

/** Adds the name of the violation to file names, also in imports. */
function named(text: string, violation: string): string {
  return text.replaceAll(/\b(violation|thing|egg|hen)\.ts\b/g, (_, file) =>
    file === 'violation' ? `${violation}.ts` : `${violation}-${file}.ts`,
  );
}

/** Returns whether one line of the output contains both a file of the violation and the message `says`. */
function namesBoth(output: string, violation: string, says: string): boolean {
  const file = new RegExp(`/${violation}(-\\w+)?\\.ts`);
  return output.split('\n').some((line) => file.test(line) && line.includes(says));
}

async function runStep(name: string, project: string): Promise<CheckResult> {
  const step = checkSteps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`Expected a step of the check named ${name}.`);
  return await step.run(project);
}
