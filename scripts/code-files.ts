import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const MAX_FILE_LINES = 300;
export const MAX_LINE_CHARS = 120;

/** Pattern of source code. It excludes build output and the fixtures with violations that test the checks. */
const CODE = '{src,web,sdk,bench,test,bin,scripts}/**/*.{ts,tsx,js,mjs,cjs}';
const EXCLUDED = ['**/node_modules/**', '**/dist/**', 'test/house/violations/**'];

/** Returns all code files of a project, as absolute paths. */
export async function findCode(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(CODE, { cwd: root, exclude: EXCLUDED })) files.push(join(root, file));
  return files;
}

/** Returns the files with too many lines. Files named `*.table.ts` contain only a table and may be longer. */
export async function findLongFiles(files: readonly string[]): Promise<{ file: string; lines: number }[]> {
  const counted = await Promise.all(
    files.map(async (file) => ({ file, lines: countLines(await readFile(file, 'utf8')) })),
  );
  return counted.filter(({ file, lines }) => lines > MAX_FILE_LINES && !file.endsWith('.table.ts'));
}

/**
 * Files that may contain long lines. The first is generated from docs/openapi.json. The keys of the others are
 * sentences of the service, which must match exactly.
 */
const WITH_LONG_LINES = ['/sdk/src/operations.table.ts', '.service.table.ts'];

/** Matches the start of a line: indentation and comment markers. */
const LINE_START = /^\s*(\/\/|\*|\/\*\*)?\s*/;

/**
 * Returns the lines with too many characters, except lines without a space at which they could be broken, such as URLs,
 * patterns and data.
 */
export async function findLongLines(
  files: readonly string[],
): Promise<{ file: string; line: number; length: number }[]> {
  const written = files.filter((file) => !WITH_LONG_LINES.some((name) => file.endsWith(name)));
  const found = await Promise.all(
    written.map(async (file) => {
      const lines = (await readFile(file, 'utf8')).split('\n');
      return lines.map((text, index) => ({ file, line: index + 1, length: [...text].length, text }));
    }),
  );
  return found
    .flat()
    .filter(({ length, text }) => length > MAX_LINE_CHARS && text.replace(LINE_START, '').trimEnd().includes(' '))
    .map(({ file, line, length }) => ({ file, line, length }));
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
