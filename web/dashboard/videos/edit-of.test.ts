import { expect, test } from 'vitest';
import { editOf } from './edit-of.ts';

const video = { title: 'Old', visibility: 'public' as const, metaTags: [{ property: 'video:tag', value: 'sea' }] };

test.each([
  ['nothing', { title: undefined, visibility: undefined, added: [], removed: [] }, null],
  ['an unchanged or empty title', { title: ' ', visibility: undefined, added: [], removed: [] }, null],
  [
    'a tag that the video has',
    { title: 'Old', visibility: 'public' as const, added: ['sea'], removed: ['gulls'] },
    null,
  ],
  [
    'a visibility',
    { title: undefined, visibility: 'private' as const, added: [], removed: [] },
    { visibility: 'private' },
  ],
  ['a title', { title: 'New', visibility: undefined, added: [], removed: [] }, { title: 'New' }],
  [
    'tags',
    { title: undefined, visibility: undefined, added: ['dawn'], removed: ['sea'] },
    { metaTags: [{ property: 'video:tag', value: 'dawn' }] },
  ],
])('an edit of many videos changes only the fields that differ: %s', (_, edit, expected) => {
  expect(editOf(video, edit)).toEqual(expected);
});
