import { expect, test } from 'vitest';
import {
  otherMetaTags,
  readDescription,
  readTags,
  toMetaTags,
  withDescription,
  withOtherMetaTags,
  withTags,
} from './tags.ts';

const tag = (value: string) => ({ property: 'video:tag', value });
const series = { property: 'series', value: 'one' };

test('reads tags from meta tags and from the keywords of importers, each once', () => {
  expect(readTags([tag('sea'), series, { property: 'keywords', value: 'boats, sea, ,' }, tag(' ')])).toEqual([
    'sea',
    'boats',
  ]);
});

test('keeps keywords in their list, adds new tags as meta tags, and leaves other meta tags unchanged', () => {
  const before = [series, { property: 'keywords', value: 'boats, sea' }, tag('old')];
  expect(withTags(before, ['sea', 'dawn'])).toEqual([series, { property: 'keywords', value: 'sea' }, tag('dawn')]);
  expect(withTags(before, [])).toEqual([series]);
});

test('replaces the meta tags that no other field shows, and keeps the others', () => {
  const all = [tag('sea'), series, { property: 'description', value: 'x' }];
  expect(otherMetaTags(all)).toEqual([series]);
  expect(withOtherMetaTags(all, [{ property: 'a', value: 'b' }])).toEqual([
    tag('sea'),
    { property: 'description', value: 'x' },
    { property: 'a', value: 'b' },
  ]);
});

test('reads the description of importers if the video has none, and changes both', () => {
  const metaTags = [series, { property: 'description', value: 'Imported' }];
  expect(readDescription({ description: null, metaTags })).toBe('Imported');
  expect(readDescription({ description: 'Own', metaTags })).toBe('Own');
  expect(withDescription(metaTags, 'New')).toEqual([series, { property: 'description', value: 'New' }]);
  expect(withDescription(metaTags, '')).toEqual([series]);
  expect(withDescription([series], 'New')).toEqual([series]);
});

test('editing the description sends no meta tags if none contains the description', () => {
  expect(toMetaTags([series, tag('sea')], { description: 'New' })).toEqual({});
  expect(toMetaTags([{ property: 'description', value: 'Old' }], { description: 'New' })).toEqual({
    metaTags: [{ property: 'description', value: 'New' }],
  });
  expect(toMetaTags([series], { tags: ['sea'] })).toEqual({ metaTags: [series, tag('sea')] });
});
