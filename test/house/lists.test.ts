import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { WIRE_CODECS } from '../../src/media/encode/codecs/all.ts';
import { RUNGS } from '../../src/media/encode/ladder.ts';
import * as dashboard from '../../web/dashboard/base/rungs.ts';

test('the index of the documentation lists every document and nothing else', async () => {
  const text = await readFile('docs/index.md', 'utf8');
  const listed = [...text.matchAll(/\]\(([^).][^)]*\.md)\)/g)].map(([, name = '']) => name);
  const files = (await readdir('docs', { recursive: true })).filter(
    (name) => name.endsWith('.md') && name !== 'index.md',
  );
  expect(new Set(listed)).toEqual(new Set(files));
});

test('each decision has a date and a status', async () => {
  const names = await readdir('docs/decisions');
  const texts = await Promise.all(names.map((name) => readFile(`docs/decisions/${name}`, 'utf8')));
  const without = names.filter(
    (_, index) => !/^# .+\n\n20\d\d-\d\d-\d\d\. (Accepted|Replaced by )/.test(texts[index] ?? ''),
  );
  expect(without).toEqual([]);
});

test('the dashboard lists the same rungs and codecs as the encoder', () => {
  const where = 'expected the list of the engine in `web/dashboard/base/rungs.ts`';
  expect(dashboard.RUNGS, where).toEqual(RUNGS.map((rung) => `${rung}p`));
  expect(dashboard.CODECS, where).toEqual([...WIRE_CODECS.keys()]);
});
