import { parse } from 'hls-parser';
import { expect, test } from 'vitest';
import { checkPlaylist } from '../../../test/support/rfc8216/check-playlist.ts';
import { writeSubtitlePlaylist } from '../hls/subtitle-playlist.ts';
import { decodeBase64, decodeCaptions } from './decode-captions.ts';

test.each([
  ['UTF-8', Buffer.from('Grüße'), 0],
  ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]), 0],
  ['big-endian UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('Grüße', 'utf16le').swap16()]), 0],
  ['Windows-1252', Buffer.from('Grüße', 'latin1'), 1],
])('decodes %s, and warns if it guessed the encoding', (_, bytes, warnings) => {
  const decoded = decodeCaptions(bytes);
  expect(decoded.text.replace('\uFEFF', '')).toBe('Grüße');
  expect(decoded.warnings).toHaveLength(warnings);
});

test.each([
  { language: 'ja', bytes: '93fa967b8cea', shown: '日本語', encoding: 'Shift_JIS' },
  { language: 'ja-JP', bytes: 'c6fccbdcb8ec', shown: '日本語', encoding: 'euc-jp' },
  { language: 'ko', bytes: 'c7d1b1b9', shown: '한국', encoding: 'euc-kr' },
  { language: 'zh', bytes: 'd6d0cec4', shown: '中文', encoding: 'gb18030' },
  { language: 'zh-Hant', bytes: 'a4a4a4e5', shown: '中文', encoding: 'big5' },
  { language: 'zh-TW', bytes: 'a4a4a4e5', shown: '中文', encoding: 'big5' },
  { language: 'ru', bytes: 'd0f3f1f1eae8e9', shown: 'Русский', encoding: 'Windows-1251' },
  { language: 'pl', bytes: '9cf3b3', shown: 'śół', encoding: 'Windows-1250' },
  { language: 'fr', bytes: 'e9e8', shown: 'éè', encoding: 'Windows-1252' },
])('decodes $encoding if the language is $language', ({ language, bytes, shown, encoding }) => {
  const { text, warnings } = decodeCaptions(Buffer.from(bytes, 'hex'), language);
  expect(text).toBe(shown);
  expect(warnings.join()).toContain(`decoded as ${encoding}.`);
});

test.each(['ja', 'de', 'zh'])('UTF-8 with a damaged character remains UTF-8 if the language is %s', (language) => {
  // The last byte of the last character is missing.
  const bytes = Buffer.from('日本語 Grüße').subarray(0, -1);
  const damaged = Buffer.concat([bytes, Buffer.from([0xe8, 0xaa])]);
  const { text, warnings } = decodeCaptions(damaged, language);
  expect(text).toBe('日本語 Grüß\uFFFD');
  expect(warnings).toEqual([expect.stringContaining('replaced by \uFFFD')]);
});

test.each([
  ['aGk=', 'hi'],
  ['aGk', 'hi'],
  ['aG\r\nk=\n', 'hi'],
  ['_-8=', '\u00ff\u00ef'],
  ['', ''],
  ['a', null],
  ['aGk=aGk=', null],
  ['%%%%', null],
  ['data:text/vtt;base64,aGk=', null],
])('decodes base64 %j to %j', (text, expected) => {
  expect(decodeBase64(text)?.toString('latin1') ?? null).toBe(expected);
});

test.each([0.5, 1.2, 30.03, 43_199.4999])(
  'both playlist validators accept the caption playlist of a %d s video',
  (durationSec) => {
    const text = writeSubtitlePlaylist(durationSec, 'en.vtt');
    expect(checkPlaylist(text)).toEqual([]);
    const playlist = parse(text);
    if (playlist.isMasterPlaylist) throw new Error('Expected a media playlist.');
    expect(playlist.segments.map(({ uri, duration }) => [uri, duration])).toEqual([
      ['en.vtt', Number(durationSec.toFixed(3))],
    ]);
  },
);

test('throws for a caption playlist with a duration of 0', () => {
  expect(() => writeSubtitlePlaylist(0, 'en.vtt')).toThrow('seconds, got 0');
});
