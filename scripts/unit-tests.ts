import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** Pattern of the tests next to the code that they test. */
const SIDECARS = '{src,web,sdk,scripts}/**/*.test.ts';

/**
 * Modules that start a process, a browser, a database or a service. A test that imports one of them is not a unit test.
 */
const HEAVY_PACKAGE = /^(node:child_process|playwright-core|pg|vite|rolldown)$/;
const HEAVY_MODULE =
  /(^|\/)(run-[\w-]+|database|service|browser|firefox|lab|encode|probe|first-segments|ingest-node|open-source|read-frames)\.ts$/;

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** Returns the test files, relative to the root, that need no database, ffmpeg, browser or child process. */
export async function findUnitTests(root: string): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(SIDECARS, { cwd: root, exclude: ['**/node_modules/**'] })) {
    if (!(await isHeavy(join(root, file), root, new Set()))) found.push(file);
  }
  return found.sort((a, b) => a.localeCompare(b));
}

/**
 * Returns whether a test file, or a test helper that it imports, imports such a module. Imports of the tested code are
 * not followed.
 */
async function isHeavy(file: string, root: string, seen: Set<string>): Promise<boolean> {
  if (seen.has(file)) return false;
  seen.add(file);
  for (const [, specifier = ''] of (await readFile(file, 'utf8')).matchAll(IMPORT)) {
    if (HEAVY_PACKAGE.test(specifier) || HEAVY_MODULE.test(specifier)) return true;
    if (!specifier.startsWith('.')) continue;
    const target = join(dirname(file), specifier);
    if (isHelper(relative(root, target)) && (await isHeavy(target, root, seen))) return true;
  }
  return false;
}

function isHelper(path: string): boolean {
  return /\.tsx?$/.test(path) && (path.startsWith('test/') || path.includes('.test.'));
}
