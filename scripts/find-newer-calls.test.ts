import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findNewerCalls } from './find-newer-calls.ts';

const root = resolve(import.meta.dirname, '..');

test('the packed command line and the launcher call nothing that Node 20.19 lacks', () => {
  const entries = ['src/cli/client/main.ts', 'sdk/src/millrace.ts', 'bin/millrace.js'];
  const found = findNewerCalls(
    entries.map((entry) => join(root, entry)),
    root,
  );
  expect(found.map(({ file, line, name, since }) => `${file}:${line}: ${name} (${since})`)).toEqual([]);
});

test('finds newer functions of Node and of the language, also in loaded modules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-newer-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const lines = [
    "import { glob, readFile } from 'node:fs/promises';",
    "import { other } from './other.ts';",
    "import type { Unused } from './unused.ts';",
    "URL.parse('x'), URL.canParse('x');",
    'Promise.withResolvers<void>(), Array.fromAsync([1]), Object.groupBy([1], String);',
    'new Set([1]).union(new Set()), [1].values().map(String), [2, 1].toSorted();',
    "import.meta.dirname, AbortSignal.any([]), 'a'.isWellFormed(), other, readFile;",
    'export const found: Unused[] = [glob, WebSocket];',
  ];
  await writeFile(join(folder, 'main.ts'), lines.join('\n'));
  await writeFile(join(folder, 'other.ts'), "export const other = RegExp.escape('.');");
  await writeFile(
    join(folder, 'unused.ts'),
    'export type Unused = unknown;\nexport const unused = Promise.try(String);',
  );
  const found = findNewerCalls([join(folder, 'main.ts')], root);
  const names = found.map(({ line, name }) => `${line} ${name}`);
  expect(new Set(names)).toEqual(
    new Set([
      ...['1 glob', '4 parse', '5 withResolvers', '5 fromAsync', '5 groupBy', '6 union', '6 map'],
      ...['1 escape', '8 glob', '8 WebSocket'],
    ]),
  );
});
