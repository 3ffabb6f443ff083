import { expect, test } from 'vitest';
import { csvLine } from './csv-line.ts';

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "a"\nb', '"say ""a""\nb"'],
  ['=HYPERLINK("http://a.example")', `"'=HYPERLINK(""http://a.example"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
])('writes the cell %j as %j', (cell, written) => {
  expect(csvLine([cell, 'x'])).toBe(`${written},x\r\n`);
});
