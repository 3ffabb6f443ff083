import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../test/support/list-files.ts';
import { EDGE_ERRORS, REFUSALS, SOURCE_FAULTS } from './error-catalogue.ts';

/** Reads all sources except the catalogue. */
async function readSources(): Promise<string> {
  const files = (await listFiles('src')).filter(
    (file) => /\.ts$/.test(file) && !/error-catalogue|\.test\.ts$/.test(file),
  );
  return (await Promise.all(files.map((file) => readFile(path.join('src', file), 'utf8')))).join('\n');
}

test('the source uses exactly the error codes of the catalogue', async () => {
  const text = await readSources();
  const codes = new Set([REFUSALS, EDGE_ERRORS, SOURCE_FAULTS].flatMap((part) => Object.keys(part)));
  expect([...codes].filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  const used = [...text.matchAll(/\b(?:new Refused|notFound|toProblem)\(\s*'([^']+)'/g)].map(([, code = '']) => code);
  expect(used.length).toBeGreaterThan(200);
  expect(used.filter((code) => !codes.has(code))).toEqual([]);
});
