import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { ImportUploadModel } from '../../api/models/import.ts';
import { findItemFaults } from './find-item-faults.ts';

const validator = Compile(ImportUploadModel);
const isAccepted = (item: object) => validator.Check({ kind: 'video', sourceId: 'a', guid: 'a', title: 'A', ...item });

const COMMENT = { guid: 'a', text: 'b', authorName: 'c', authorKind: 'guest', dateCreated: '2024-01-01', time: 1.5 };

test.each<[field: string, right: unknown, wrong: unknown]>([
  ['views', 5, 1.5],
  ['totalWatchTime', 0, 'long'],
  ['thumbnailTime', 0, -1],
  ['thumbnailTime', 5, 2 ** 31],
  ['chapters', [{ title: 'One', start: 1 }], {}],
  ['chapters', [], [{ title: 'One', start: 'x' }]],
  ['moments', [{ label: 'One', timestamp: 5 }], [{ label: 'One', timestamp: 0.5 }]],
  ['metaTags', [{ property: 'a', value: null }], [{ property: 'a', value: 5 }]],
  ['metaTags', [{}], ['a']],
  ['statistics', [{ day: '2024-01-01', views: 1, watchTime: 2 }], [{ day: '2024-01-01', views: 1 }]],
  ['comments', [COMMENT], [{ ...COMMENT, authorKind: 'robot' }]],
  ['comments', [{ ...COMMENT, dateEdited: null }], [{ ...COMMENT, text: 5 }]],
  ['comments', [{ ...COMMENT, isResolved: true }], Array.from({ length: 1_001 }, () => COMMENT)],
])('finds the same faults in %s as the API', (field, right, wrong) => {
  for (const [value, isRight] of [
    [right, true],
    [wrong, false],
  ] as const) {
    expect([value, isAccepted({ [field]: value })]).toEqual([value, isRight]);
    expect([value, findItemFaults({ [field]: value }).length === 0]).toEqual([value, isRight]);
  }
});

test('finds dates and GUIDs that cannot be read, and names entries of lists', () => {
  const faults = findItemFaults({ dateUploaded: 'soon', collectionId: 'shelf', moments: [{ label: 'One' }, 'Two'] });
  expect(faults).toEqual([
    {
      field: 'dateUploaded',
      index: null,
      words: 'Expected a date such as 2024-02-03 or 2024-02-03T04:05:06Z in dateUploaded, got "soon".',
    },
    { field: 'collectionId', index: null, words: 'Expected a GUID in collectionId, got "shelf".' },
    { field: 'moments', index: 1, words: 'Expected an object in moments.1, got "Two".' },
  ]);
});
