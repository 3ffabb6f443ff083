import { expect, test } from 'vitest';
import { readGuid } from '../../lib/guid.ts';
import {
  findMediaLess,
  findSidecars,
  isMedium,
  labelOf,
  noMediaReasonOf,
  parseCollections,
  parseFields,
  parseManifest,
  pickKnown,
  readCsv,
} from './sidecars.ts';

test('reads quoted cells with commas, quotes and line breaks', () => {
  const text = '\uFEFFfile,title,note\r\na.mp4,"Weir, mill","She said ""hi"""\r\n"b.mp4","two\nlines",\n';
  expect(readCsv(text, 'a.csv')).toEqual([
    { file: 'a.mp4', title: 'Weir, mill', note: 'She said "hi"' },
    { file: 'b.mp4', title: 'two\nlines', note: '' },
  ]);
});

test('reads a last row without a line break, and a byte order mark only at the start', () => {
  expect(readCsv('file,title\na.mp4,\uFEFFOne', 'a.csv')).toEqual([{ file: 'a.mp4', title: '\uFEFFOne' }]);
});

test('skips empty lines, and reads missing cells as empty', () => {
  expect(readCsv('file,title\n\na.mp4\n,\n', 'a.csv')).toEqual([{ file: 'a.mp4', title: '' }]);
});

test.each([
  ['text after a closing quote', 'file\n"a"b\n', 5],
  ['a quote within a plain cell', 'file,title\na.mp4,5" disc\n', 17],
  ['a quote that is never closed', 'file\na\n"b\nc\n', 7],
  ['a wrong quote in the header', '"file"x\na\n', 0],
])('refuses %s and names its position', (_what, text, place) => {
  const got = `got a wrong quote after character ${place}`;
  expect(() => readCsv(text, 'a.csv')).toThrow(`Expected CSV in a.csv, ${got}. Correct the file.`);
});

test('finds captions, image and fields with the name of a medium', () => {
  const names = [
    'a/talk.mp4',
    'a/talk.de.VTT',
    'a/talk.srt',
    'a/talk.png',
    'a/talk.json',
    'a/talk.comments.json',
    'a/talk2.vtt',
    'talk.vtt',
  ];
  expect(findSidecars('a/talk.mp4', names, 'en')).toEqual({
    captions: [
      { srclang: 'de', path: 'a/talk.de.VTT' },
      { srclang: 'en', path: 'a/talk.srt' },
    ],
    image: 'a/talk.png',
    fields: 'a/talk.json',
    comments: 'a/talk.comments.json',
  });
  expect(findSidecars('talk2.mp4', names, 'en')).toEqual({ captions: [], image: null, fields: null, comments: null });
});

test('finds the metadata of an export without media, and the reason', () => {
  const [one, two] = ['0190a0a0-0000-7000-8000-000000000001', '0190a0a0-0000-7000-8000-000000000002'] as const;
  const names = [`${one}.json`, `${one}.comments.json`, `${two}.json`, `${two}.mkv`, 'manifest.json', `a/${one}.json`];
  expect(findMediaLess(names)).toEqual([{ guid: one, path: `${one}.json` }]);
  const guid = readGuid(one);
  if (guid === null) throw new Error('Expected a GUID.');
  expect(noMediaReasonOf({ guid, noMediaReason: 'Never uploaded.' }, guid)).toBe('Never uploaded.');
  expect(noMediaReasonOf({ guid }, guid)).toBe('The export has no file of this video.');
  expect(noMediaReasonOf({ guid: two }, guid)).toBeNull();
});

test('media are recognised by their extension in any case', () => {
  expect(['VTS_01_1.VOB', 'a.ogg', 'b.Opus', 'c.asf', 'd.3g2', 'e.aac', 'f.m4b'].every(isMedium)).toBe(true);
  expect(['a.mp4', 'b.MOV', 'c/d.mkv', 'e.vtt', 'mp4', 'f.mp4.txt'].map(isMedium)).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
});

test('returns the label of captions by their language', () => {
  const fields = { captions: [{ srclang: 'de', label: 'Deutsch' }, { srclang: 'fr', label: '' }, null] };
  expect(['de', 'fr', 'en'].map((srclang) => labelOf(fields, srclang))).toEqual(['Deutsch', null, null]);
  expect([labelOf({}, 'de'), labelOf({ captions: [{ srclang: 'de', label: 7 }] }, 'de')]).toEqual([null, null]);
});

test('keeps known fields with their types, and leaves out empty ones', () => {
  const cells = { description: 'Text', views: '12', isPublic: 'TRUE', chapters: '[{"title":"One"}]', category: '' };
  expect(pickKnown({ ...cells, other: 'x', totalWatchTime: null })).toEqual({
    ...{ description: 'Text', views: 12, isPublic: true, chapters: [{ title: 'One' }] },
  });
  expect(pickKnown({ isPublic: 'no', moments: [1], collectionId: 7 })).toEqual({
    ...{ isPublic: false, moments: [1], collectionId: '7' },
  });
  expect(() => pickKnown({ chapters: '[' })).toThrow(
    'expected JSON in chapters (Unexpected end of JSON input). Correct the file.',
  );
});

test('reads manifests in both formats by the path of their medium', () => {
  const rows = new Map<string, object>([['a.mp4', { file: 'a.mp4', title: 'One' }]]);
  expect(parseManifest('\uFEFF[{"file":"a.mp4","title":"One"}]', 'manifest.json')).toEqual(rows);
  const row = { file: 'b.mp4', title: '\uFEFFTwo' };
  expect(parseManifest(JSON.stringify([row]), 'manifest.json')).toEqual(new Map([['b.mp4', row]]));
  expect(parseManifest('file,title\na.mp4,One\n', 'manifest.csv')).toEqual(rows);
  expect(() => parseManifest('{', 'manifest.json')).toThrow(
    'expected JSON in manifest.json (line 1). Correct the file.',
  );
});

test.each(['[{"visibility":"private"}]', 'null', '"private"', '5'])(
  'refuses a sidecar that is not an object: %s',
  (text) => {
    expect(() => parseFields(text, 'talk.json')).toThrow('expected a JSON object in talk.json, got something else.');
  },
);

test('reads collections, and refuses one without a guid', () => {
  const guid = '0190a0a0-0000-7000-8000-000000000000';
  const read = (list: unknown) => parseCollections(JSON.stringify(list), 'collections.json');
  const [first, second] = [guid.replace('8000', '8001'), guid.replace('8000', '8002')];
  const manual = { videoOrder: 'manual', videoIds: [second, 'x', first, second] };
  const listed = [
    { guid, name: 'One' },
    { guid, ...manual },
    { guid, videoOrder: 'random' },
  ];
  expect(read(listed)).toEqual([
    { guid, name: 'One', order: null },
    { guid, name: guid, order: { order: 'manual', videoIds: [second, first] } },
    { guid, name: guid, order: null },
  ]);
  expect(() => read([{ name: 'One' }])).toThrow('expected a guid in each entry of collections.json.');
  expect(() => read([null])).toThrow('expected a guid');
});
