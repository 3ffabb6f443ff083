import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeVtt } from './cue.ts';
import { readCaptions } from './read-captions.ts';

describe('caption files', () => {
  test('converts SubRip to WebVTT with dots in times and without SubRip codes', () => {
    const file = readCaptions(
      '1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<font color="red">Hi</font> <i>you</i>\r\n\r\n',
    );
    expect(file.errors).toEqual([]);
    expect(writeVtt(file.cues)).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.500 line:0\nHi <i>you</i>\n');
  });

  test('drops style and region blocks with a warning and notes silently', () => {
    const file = readCaptions(
      'WEBVTT - title\n\nSTYLE\n::cue { background: url(http://x) }\n\nNOTE hello\n\na\n00:01.000 --> 00:02.000 ' +
        'line:10% onclick:x\n<script>alert(1)</script>\n',
    );
    expect(file.errors).toEqual([]);
    expect(file.warnings).toEqual([
      'Line 3: a STYLE block was left out.',
      'Line 9: the cue setting "onclick:x" was left out.',
    ]);
    expect(file.cues).toEqual([{ startMs: 1000, endMs: 2000, settings: 'line:10%', text: 'alert(1)' }]);
  });

  test.each([
    { text: '', problem: 'Expected SubRip cues or a first line "WEBVTT", found neither.' },
    { text: '\x7FELF\x02\0\0\0', problem: 'Expected a text file, got a binary one.' },
    { text: 'WEBVTT\n\n', problem: 'The file contains no cue.' },
    { text: 'WEBVTT\n\nhello\nworld\n', problem: 'Line 3: expected a cue with a line "start --> end", found "hello".' },
    { text: '1\n00:00:02,000 --> 00:00:01,000\nx\n', problem: 'Line 2: expected a cue to end after it starts.' },
    {
      text: 'WEBVTT\n\n00:00 --> 00:01\nx\n',
      problem: 'Line 3: expected times such as 00:01:02.345, found "00:00 --> 00:01".',
    },
  ])('reports the line and the expected syntax: $problem', ({ text, problem }) => {
    expect(readCaptions(text).errors).toEqual([problem]);
  });

  test('captions with any text are read back unchanged', () => {
    const piece = fc.constantFrom('<', '>', '&', '&amp;', '-->', '<b>', '</b>', '<x>', 'a', '\0', 'é', '{\\an1}', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const first = readCaptions(`WEBVTT\n\n00:01.000 --> 00:02.000\nx${pieces.join('')}\n`);
        expect(first.errors).toEqual([]);
        const again = readCaptions(writeVtt(first.cues));
        expect(again).toEqual({ cues: first.cues, errors: [], warnings: [] });
      }),
    );
  });
});
