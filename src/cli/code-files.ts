import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const LONGEST_FILE_LINES = 300;

/** Written code: not what a build makes, and not the violations kept to test the checks. */
const CODE = '{src,web,sdk,bench,test,bin}/**/*.{ts,tsx,js,mjs,cjs}';
const EXCLUDED = ['**/node_modules/**', '**/dist/**', 'test/house/violations/**'];

/** All files of code of a project, by absolute path. */
export async function findCode(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(CODE, { cwd: root, exclude: EXCLUDED })) files.push(join(root, file));
  return files;
}

/** The files with too many lines. Those named `*.table.ts` hold nothing but a table and may be longer. */
export async function findLongFiles(files: readonly string[]): Promise<{ file: string; lines: number }[]> {
  const counted = await Promise.all(
    files.map(async (file) => ({ file, lines: countLines(await readFile(file, 'utf8')) })),
  );
  return counted.filter(({ file, lines }) => lines > LONGEST_FILE_LINES && !file.endsWith('.table.ts'));
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
