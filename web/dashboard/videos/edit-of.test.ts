import { expect, test } from 'vitest';
import { editOf } from './edit-of.ts';

const video = { title: 'Old', metaTags: [{ property: 'video:tag', value: 'sea' }] };

test.each([
  ['nothing', { title: undefined, added: [], removed: [] }, null],
  ['an unchanged or empty title', { title: ' ', added: [], removed: [] }, null],
  ['a tag that the video has', { title: 'Old', added: ['sea'], removed: ['gulls'] }, null],
  ['a title', { title: 'New', added: [], removed: [] }, { title: 'New' }],
  [
    'tags',
    { title: undefined, added: ['dawn'], removed: ['sea'] },
    { metaTags: [{ property: 'video:tag', value: 'dawn' }] },
  ],
])('an edit of many videos changes only the fields that differ: %s', (_, edit, expected) => {
  expect(editOf(video, edit)).toEqual(expected);
});
