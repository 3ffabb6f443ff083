import { access, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The most files that a walk may take, so that a newcomer can follow it. */
const MOST: Record<string, number> = {
  'A segment, from request to bytes': 8,
  'An upload, from the first byte to the queue': 10,
  'The encode of a chunk, from claim to playlist': 20,
  'A setting, from the owner to the edge': 4,
  'A new operation': 3,
};

test('the walks of the documentation go through files that import one another', async () => {
  const text = await readFile('docs/walks.md', 'utf8');
  const walks = text.split(/^## /m).slice(1);
  expect(walks.map(titleOf)).toEqual(Object.keys(MOST));
  for (const walk of walks) {
    const files = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
    expect(files.length, titleOf(walk)).toBeGreaterThan(1);
    expect(files.length, titleOf(walk)).toBeLessThanOrEqual(MOST[titleOf(walk)] ?? 0);
    const known = new Set(await importsOf(files[0] ?? ''));
    for (const file of files.slice(1)) {
      const found = await importsOf(file);
      expect(known, `${file} in "${titleOf(walk)}"`).toContain(file);
      for (const each of found) known.add(each);
    }
  }
});

test('files and folders that architecture, walks and glossary name are there', async () => {
  for (const document of ['docs/architecture.md', 'docs/walks.md', 'docs/glossary.md']) {
    const text = await readFile(document, 'utf8');
    const named = [...text.matchAll(/`((?:src|docs|test|bench)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(named.length, document).toBeGreaterThan(5);
    for (const file of new Set(named)) await expect(access(file), `${file} in ${document}`).resolves.toBeUndefined();
  }
});

function titleOf(walk: string): string {
  return walk.slice(0, walk.indexOf('\n'));
}

/** What a file imports, by path from the repository's root; throws for a file that is not there. */
async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const base = new URL(`file:///${file}`);
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path = '']) =>
    new URL(path, base).pathname.slice(1),
  );
}
