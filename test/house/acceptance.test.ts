import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';

const page = readFileSync(join(projectRoot, 'docs/acceptance.md'), 'utf8');
const sections = page.split(/^## /m).slice(1);
const named = sections.flatMap((section) =>
  [...section.matchAll(/^- `(.+?)`(?: \(soak\))?: (.+)$/gm)].map(([, file = '', title = '']) => ({ file, title })),
);

test.each(named)('$file shows: $title', ({ file, title }) => {
  const source = readFileSync(join(projectRoot, file), 'utf8');
  // Matches the text after `test(` or `describe(`. A title may end in a part that changes between runs.
  const titles = [...source.matchAll(/\(\s*(['"`])((?:(?!\1).)+)\1,/g)].map(([, , text]) => text);
  expect(titles.some((text) => text?.replace(/\\/g, '').startsWith(title))).toBe(true);
});

test('each guarantee of the media engine has a test', () => {
  expect(sections.length).toBeGreaterThan(20);
  for (const section of sections) expect(section).toMatch(/^- `/m);
});

test('the test parses each line that contains a path', () => {
  expect(page.match(/^\s*[-*] /gm)).toHaveLength(named.length);
});
