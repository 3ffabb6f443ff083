import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LineDiff } from './line-diff.ts';

const line = (index: number) => `line ${index}\n`;
const numbers = (length: number) => Array.from({ length }, (_, index) => index);

test.each([
  { name: 'one change in the middle', total: 20, changed: [10] },
  { name: 'the first and the last line', total: 20, changed: [0, 19] },
  { name: 'changes with little between them', total: 30, changed: [4, 5, 9, 15, 22] },
  { name: 'a file that changes completely', total: 2_500, changed: numbers(2_500) },
  { name: 'changes that need several hunks', total: 2_600, changed: numbers(2_600).filter((index) => index % 5 === 0) },
])('git apply accepts the diff of $name', ({ total, changed }) => {
  const from = numbers(total).map(line);
  from[total - 1] = 'the last line without a line break';
  const to = from.map((text, index) => (changed.includes(index) ? `new ${text}` : text));
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-diff-'));
  const file = path.join(folder, 'file.txt');
  const pieces: string[] = [];
  const diff = new LineDiff(file, (text) => pieces.push(text));
  for (const [index, text] of from.entries()) diff.add(text, to[index] ?? '');
  diff.end();
  writeFileSync(file, from.join(''));
  execFileSync('git', ['apply', '--unsafe-paths', '-p0', '-'], { input: pieces.join(''), cwd: folder });
  expect(readFileSync(file, 'utf8')).toBe(to.join(''));
  rmSync(folder, { recursive: true });
});
