import { expect, test } from 'vitest';
import { readCsv } from './sidecars.ts';

test('reads quoted cells with commas, quotes and line breaks', () => {
  const text = '\uFEFFfile,title,note\r\na.mp4,"Weir, mill","She said ""hi"""\r\n"b.mp4","two\nlines",\n';
  expect(readCsv(text)).toEqual([
    { file: 'a.mp4', title: 'Weir, mill', note: 'She said "hi"' },
    { file: 'b.mp4', title: 'two\nlines', note: '' },
  ]);
});

test('skips empty lines, and reads missing cells as empty', () => {
  expect(readCsv('file,title\n\na.mp4\n,\n')).toEqual([{ file: 'a.mp4', title: '' }]);
});

test.each([
  ['text after a closing quote', 'file\n"a"b\n', 5],
  ['a quote within a plain cell', 'file,title\na.mp4,5" disc\n', 17],
  ['a quote that is never closed', 'file\na\n"b\nc\n', 7],
  ['a wrong quote in the header', '"file"x\na\n', 0],
])('refuses %s with its place', (_what, text, place) => {
  expect(() => readCsv(text)).toThrow(`Expected CSV, got a wrong quote after character ${place}. Correct the file.`);
});
