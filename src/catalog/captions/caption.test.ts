import { expect, test } from 'vitest';
import type { StorageKey } from '../../ports/storage.ts';
import type { CaptionTrack } from '../schema.ts';
import {
  captionLabel,
  describeCaption,
  findCaption,
  MAX_CAPTION_TRACKS,
  putCaption,
  readCaptionLanguage,
} from './caption.ts';

const track = (srclang: string, version = 1): CaptionTrack => ({
  srclang,
  label: srclang,
  version,
  key: `k/${srclang}-${version}` as StorageKey,
});

test.each(['en', 'pt-BR', 'en-auto', 'zh-Hant-TW', 'sr-Latn-RS-ekavsk', 'de-1996'])(
  'accepts %s as a caption language',
  (text) => {
    expect(readCaptionLanguage(text)).toBe(text);
  },
);

test('converts a locale name to a language tag', () => {
  expect(readCaptionLanguage('pt_BR')).toBe('pt-BR');
});

test.each(['', '_', '../en', 'en.vtt', 'e n', 'en-', '-en', 'en\n', 'é', 'a'.repeat(9), `en${'-abcdefgh'.repeat(4)}`])(
  'rejects %j as a caption language',
  (text) => {
    expect(() => readCaptionLanguage(text)).toThrow('Expected a language such as "en"');
  },
);

test.each([
  ['English (UK)', 'en', 'English (UK)'],
  ['  ', 'de', 'German'],
  [null, 'pt-BR', 'Brazilian Portuguese'],
  [undefined, 'x', 'x'],
  [null, 'en-sdh', 'English (SDH)'],
  [null, 'de-forced-2', 'German (forced)'],
  ['Untertitel', 'de-sdh', 'Untertitel'],
])('displays the label %j of language %s as %s', (label, language, expected) => {
  expect(captionLabel(label, language)).toBe(expected);
});

test.each([
  ['en', 'en', 'full'],
  ['pt-BR', 'pt-BR', 'full'],
  ['en-auto', 'en-auto', 'full'],
  ['en-2', 'en', 'full'],
  ['en-sdh', 'en', 'sdh'],
  ['zh-Hant-forced-2', 'zh-Hant', 'forced'],
])('parses the track name %s as language %s with purpose %s', (srclang, language, kind) => {
  expect(describeCaption(srclang)).toEqual({ language, kind });
});

test('replaces the track of the same language, ignoring case, unless a newer version exists', () => {
  const before = [track('en', 2), track('de')];
  expect(putCaption(before, track('EN', 3))).toEqual([track('EN', 3), track('de')]);
  expect(putCaption(before, track('en', 1))).toBe(before);
  expect(putCaption(before, track('fr'))).toEqual([...before, track('fr')]);
  expect(findCaption(before, 'De')).toEqual(track('de'));
});

test('limits the number of languages, but allows a replacement at the limit', () => {
  const full = Array.from({ length: MAX_CAPTION_TRACKS }, (_, index) => track(`x-${index}`));
  expect(() => putCaption(full, track('en'))).toThrow('already has captions in 200 languages');
  expect(putCaption(full, track('x-7', 2))).toHaveLength(MAX_CAPTION_TRACKS);
});
