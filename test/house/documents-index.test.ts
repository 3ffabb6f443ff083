import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the index of the documents lists every one, and nothing else', async () => {
  const text = await readFile('docs/index.md', 'utf8');
  const listed = [...text.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, name = '']) => name);
  const files = (await readdir('docs', { recursive: true })).filter(
    (name) => name.endsWith('.md') && name !== 'index.md',
  );
  expect(new Set(listed)).toEqual(new Set(files));
});
