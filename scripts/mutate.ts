import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Refused } from '../src/lib/refused.ts';
import { projectRoot } from './run-program.ts';
import { findUnitTests } from './unit-tests.ts';

const MODULE = /\.ts$/;
const OTHER_SOURCE = /\.(test|table|d)\.ts$/;

/**
 * `npm run mutate -- PATH...`: mutates each line of the modules (files or folders) and runs the unit tests next to
 * them. Lists the mutations that no test detects, and the percentage of detected ones. Skips modules without a unit
 * test.
 */
export async function mutate(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) throw new Refused('invalid', 'expected the path of a module or a folder, got none.');
  const unitTests = new Set(await findUnitTests(projectRoot));
  const modules = (await modulesIn(paths)).filter((file) => unitTests.has(testOf(file)));
  if (modules.length === 0) {
    throw new Refused('invalid', `expected a module with a unit test next to it, got ${paths.join(', ')}.`);
  }
  const results = await new Stryker({
    mutate: modules,
    testFiles: modules.map(testOf),
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutate.config.ts', related: false },
    concurrency: 1,
    // Constants are evaluated once, when the module is loaded, so each mutation of a constant would run all tests.
    ignoreStatic: true,
    timeoutMS: 3_000,
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
    tempDirName: '.cache/mutate',
    ignorePatterns: ['.cache', 'data', 'tmp'],
    mutator: { excludedMutations: ['StringLiteral', 'ArrayDeclaration'] },
  }).runMutationTest();
  return results.length > 0 ? 0 : 1;
}

async function modulesIn(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const pattern = MODULE.test(path) ? path : join(path, '**/*.ts');
    for await (const file of glob(pattern, { cwd: projectRoot })) if (!OTHER_SOURCE.test(file)) found.push(file);
  }
  return found.sort((a, b) => a.localeCompare(b));
}

function testOf(file: string): string {
  return file.replace(MODULE, '.test.ts');
}
