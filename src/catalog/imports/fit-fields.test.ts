import { expect, test } from 'vitest';
import { fitFields } from './fit-fields.ts';

test('shortens long texts without cutting an emoji in two, and notes each', () => {
  const title = `${'x'.repeat(999)}🎬`;
  const tags = Array.from({ length: 10_000 }, (_, index) => `tag ${index}`).join(', ');
  const metaTags = [
    { property: 'vimeoId', value: '1' },
    { property: 'keywords', value: tags },
  ];
  const { fields, notes } = fitFields({ title, description: 'ä'.repeat(5_001), category: 'Art', metaTags });
  expect(fields.title).toBe('x'.repeat(999));
  expect(fields.description.length).toBe(5_000);
  expect(fields.category).toBe('Art');
  const [id, keywords] = fields.metaTags;
  expect(id).toEqual({ property: 'vimeoId', value: '1' });
  expect(keywords?.value.length).toBeLessThanOrEqual(5_000);
  expect(keywords?.value).toMatch(/, tag \d+$/);
  expect(tags.startsWith(`${keywords?.value}, `)).toBe(true);
  expect(notes).toEqual([
    'Its title is longer than 1000 characters and was shortened.',
    'Its description is longer than 5000 characters and was shortened.',
    'Its list of tags is longer than 5000 characters and was shortened.',
  ]);
});

test('numbers chapters and moments without a title, and keeps everything else', () => {
  const chapters = [
    { title: 'Start', start: 0, end: 1 },
    { title: ' ', start: 1, end: 2 },
  ];
  const { fields, notes } = fitFields({ chapters, moments: [{ label: '', timestamp: 1 }], views: 7 });
  expect(fields).toEqual({
    chapters: [
      { title: 'Start', start: 0, end: 1 },
      { title: '2', start: 1, end: 2 },
    ],
    moments: [{ label: '1', timestamp: 1 }],
    views: 7,
  });
  expect(notes).toEqual([]);
});
