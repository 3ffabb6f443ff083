import { expect, test } from 'vitest';
import { readStartOptions, readTimeSec } from './start-options.ts';

const look = { showHeatmap: true, rememberPosition: false, compactControls: false };

test.each([
  ['90', 90],
  ['30s', 30],
  ['1h20m45s', 4845],
  ['2m', 120],
  ['01:02:03', 3723],
  ['1:30', 90],
  ['1.5', 1.5],
  ['', 0],
  ['-4', 0],
  ['soon', 0],
])('t=%s starts at %s s', (text, sec) => {
  expect(readTimeSec(text)).toBe(sec);
});

test('reads flags in upper and lower case, and ignores invalid ones', () => {
  expect(readStartOptions('?AutoPlay=false&muted&loop=1&preload=maybe&T=10&disableAirplay=TRUE', look)).toMatchObject({
    autoplay: false,
    muted: true,
    loop: true,
    preload: 'metadata',
    startSec: 10,
    offersAirplay: false,
    counts: true,
  });
});

test.each([
  ['?muted', true],
  ['?autoplay=false&muted&loop', true],
  ['?muted=1', true],
  ['?muted=Yes', true],
  ['?muted=', false],
  ['?muted=&loop', false],
  ['?muted=maybe', false],
  ['?muted=no', false],
  ['?muted=0&muted=1', false],
  ['', false],
])('%s sets muted to %s', (query, muted) => {
  expect(readStartOptions(query, look).muted).toBe(muted);
});

test.each(['?autoplay=no', '?autoplay=0', '?autoplay=FALSE'])('%s does not start playback', (query) => {
  expect(readStartOptions(query, look).autoplay).toBe(false);
});

test.each([
  ['', 'metadata'],
  ['?preload', 'metadata'],
  ['?preload=true', 'metadata'],
  ['?preload=Metadata', 'metadata'],
  ['?preload=AUTO', 'auto'],
  ['?preload=none', 'none'],
  ['?preload=0', 'none'],
])('%s preloads %s', (query, preload) => {
  expect(readStartOptions(query, look).preload).toBe(preload);
});

test('options in the query override the settings of the library', () => {
  expect(readStartOptions('', look)).toMatchObject({ showsHeat: true, remembersPosition: false, startSec: null });
  const asked = readStartOptions('?showHeatmap=false&rememberPosition=true&compactControls=true&count=false', look);
  expect(asked).toMatchObject({ showsHeat: false, remembersPosition: true, isCompact: true, counts: false });
});

test.each([
  ['en', { language: 'en', isShown: false }],
  ['pt-BR-auto', { language: 'pt-BR', isShown: true }],
  ['<b>', null],
  ['', null],
])('reads captions=%s', (text, expected) => {
  expect(readStartOptions(`?captions=${encodeURIComponent(text)}`, look).captions).toEqual(expected);
});
