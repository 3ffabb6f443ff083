import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { findCode, findLongFiles, findLongLines, MAX_FILE_LINES, MAX_LINE_CHARS } from './code-files.ts';
import { findLanguageFaults } from './language-faults.ts';
import { findMisnamedExport } from './misnamed-export.ts';
import { readProse } from './prose.ts';
import { captureScript } from './run-program.ts';

export type CheckResult = { code: number; output: string };

/** One step of the check, run on a project's folder. Exit code 0 means that it found nothing. */
export type CheckStep = { name: string; what: string; run(root: string): Promise<CheckResult> };

const MAX_SUBJECT_CHARS = 72;
/** Time from which commit subjects are checked. Earlier commits have longer subjects. */
const SUBJECTS_SINCE = '2026-11-26T16:38:00Z';
const DEPENDENCY_CRUISER = 'dependency-cruiser/bin/dependency-cruiser.mjs';

export const checkSteps: readonly CheckStep[] = [
  {
    name: 'types',
    what: 'TypeScript 7',
    // A repeated run checks only changed files, which takes 3 s of CPU time instead of 26 s.
    run: async (root) => {
      const incremental = ['--incremental', '--tsBuildInfoFile', '.cache/tsc.tsbuildinfo'];
      return await runTool(root, ['@typescript/native/bin/tsc', '--project', '.', '--noEmit', ...incremental]);
    },
  },
  {
    name: 'lint',
    what: 'Biome: rules and format',
    run: async (root) =>
      await runTool(root, ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=50', '.']),
  },
  { name: 'layers', what: 'dependency-cruiser', run: checkLayers },
  {
    name: 'unused',
    what: 'knip',
    run: async (root) => await runTool(root, ['knip/bin/knip.js', '--no-progress']),
  },
  {
    name: 'lengths',
    what: `at most ${MAX_FILE_LINES} lines a file, ${MAX_LINE_CHARS} characters a line`,
    run: checkLengths,
  },
  { name: 'names', what: 'a file with one export is named after it', run: checkNames },
  {
    name: 'language',
    what: 'plain English in comments, test titles and messages, and commit subjects of at most 72 characters',
    run: async (root) => toResult([...(await checkProse(root)), ...(await checkSubjects(root))]),
  },
];

async function runTool(root: string, [tool, ...args]: readonly [string, ...string[]]): Promise<CheckResult> {
  return await captureScript([join(root, 'node_modules', tool), ...args], root);
}

async function checkLayers(root: string): Promise<CheckResult> {
  const files = await findCode(root);
  const folders = [...new Set(files.map((file) => relative(root, file).split(sep)[0] ?? ''))];
  const result = await runTool(root, [DEPENDENCY_CRUISER, '--output-type', 'err-long', ...folders]);
  const [, seen] = /\((\d+) modules, \d+ dependencies cruised\)/.exec(result.output) ?? [];
  // Without a usable compiler, dependency-cruiser ignores .ts files and succeeds. Compare the number of files to detect
  // this.
  if (result.code !== 0 || Number(seen) >= files.length) return result;
  return { code: 1, output: `dependency-cruiser saw ${seen ?? 'no'} of ${files.length} files.\n${result.output}` };
}

async function checkLengths(root: string): Promise<CheckResult> {
  const files = await findCode(root);
  const faults = [
    ...(await findLongFiles(files)).map(
      ({ file, lines }) => `${relative(root, file)}: ${lines} lines, at most ${MAX_FILE_LINES}`,
    ),
    ...(await findLongLines(files)).map(
      ({ file, line, length }) => `${relative(root, file)}:${line}: ${length} characters, at most ${MAX_LINE_CHARS}`,
    ),
  ];
  return toResult(faults);
}

async function checkNames(root: string): Promise<CheckResult> {
  const faults: string[] = [];
  for (const file of await findCode(root)) {
    // A test helper may be named after the part of the product it helps to test.
    if (/^(test|bench)\b/.test(relative(root, file))) continue;
    const name = await findMisnamedExport(file);
    if (name !== null) faults.push(`${relative(root, file)}: exports only ${name}. Rename the file or the export.`);
  }
  return toResult(faults);
}

async function checkProse(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await findCode(root)) {
    for (const prose of await readProse(file)) {
      found.push(
        ...findLanguageFaults(prose).map((fault) => `${relative(root, file)}:${prose.line}: ${prose.kind} ${fault}`),
      );
    }
  }
  return found;
}

/** Finds long subjects among the commits since the rule was introduced. Finds none outside a git checkout. */
async function checkSubjects(root: string): Promise<string[]> {
  if (!existsSync(join(root, '.git'))) return [];
  const range = [`--since=${SUBJECTS_SINCE}`, '--no-merges', '--format=%h %s'];
  const { stdout } = await promisify(execFile)('git', ['log', ...range], { cwd: root, maxBuffer: 2 ** 24 });
  return stdout
    .split('\n')
    .filter((line) => line.slice(line.indexOf(' ') + 1).length > MAX_SUBJECT_CHARS)
    .map((line) => `commit ${line}: the subject has more than ${MAX_SUBJECT_CHARS} characters`);
}

function toResult(faults: readonly string[]): CheckResult {
  return { code: faults.length === 0 ? 0 : 1, output: faults.join('\n') };
}
