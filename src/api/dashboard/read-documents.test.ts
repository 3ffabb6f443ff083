import { expect, test } from 'vitest';
import { readDocument, readOutline, searchDocuments } from './read-documents.ts';

test('the outline lists the sections of the index in order, and all its pages exist', async () => {
  const outline = await readOutline();
  expect(outline.map(({ heading }) => heading)).toEqual([
    ...['Start', 'Install', 'Embed and play', 'Live', 'API and SDK', 'Administration', 'Several machines'],
    ...['Security', 'Reference', 'Internals'],
  ]);
  const names = outline.flatMap(({ pages }) => pages.map(({ name }) => name));
  const texts = await Promise.all(names.map(readDocument));
  expect(names.filter((_, index) => texts[index] === null)).toEqual([]);
});

test.each(['../README', 'decisions/../index', '/etc/passwd', 'running.md', ''])(
  'rejects %j as a page name',
  async (name) => {
    expect(await readDocument(name)).toBeNull();
  },
);

test('a search finds pages that contain every word in any case, and lists matching titles first', async () => {
  const [first] = await searchDocuments('BACKUP restore');
  expect(first).toMatchObject({ name: 'backup', title: 'Backup and restore' });
  expect(first?.excerpt.toLowerCase()).toContain('backup');
  expect(await searchDocuments('backup xyzzyq')).toEqual([]);
  expect(await searchDocuments('  ')).toEqual([]);
});
