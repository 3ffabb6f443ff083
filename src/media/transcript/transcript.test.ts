import { expect, test } from 'vitest';
import { TALKS, timedSentences } from '../../../test/support/talks.ts';
import type { Cue } from '../captions/cue.ts';
import { makeChapters } from './chapters.ts';
import { makeDescription, makeTitle } from './headline.ts';
import { makeMoments } from './moments.ts';
import { toPassages } from './passage.ts';
import { LONGEST, plainLine } from './plain-line.ts';
import { type Evidence, readTranscript, type Transcript } from './transcript.ts';

const NO_EVIDENCE: Evidence = { cutsSec: [], loudnessDb: [], heat: null };

const [BREAD, STARS, BIKES] = TALKS;
const STEP_SEC = 4;

function cuesOf(...talks: string[]): Cue[] {
  return timedSentences(talks, STEP_SEC).map(({ text, startSec, endSec }) => ({
    startMs: startSec * 1000,
    endMs: endSec * 1000,
    settings: '',
    text,
  }));
}

function transcriptOf(cues: Cue[], language = 'en'): Transcript {
  return readTranscript(toPassages(cues), language, (cues.at(-1)?.endMs ?? 0) / 1000);
}

const three = transcriptOf(cuesOf(BREAD, STARS, BIKES));

test('chapters begin at topic shifts and are named after their topic', () => {
  const chapters = makeChapters(three, NO_EVIDENCE);
  expect(chapters).toHaveLength(3);
  expect(chapters.map(({ start }) => start)).toEqual([0, expect.closeTo(40, -1), expect.closeTo(80, -1)]);
  for (const [index, join] of [0, 40, 80].entries()) {
    expect(Math.abs((chapters[index]?.start ?? -99) - join)).toBeLessThanOrEqual(5);
  }
  expect(chapters.at(-1)?.end).toBe(Math.round(three.durationSec));
  expect(chapters.map(({ title }) => title.toLowerCase())).toEqual([
    expect.stringMatching(/bread|loaf|dough/),
    expect.stringMatching(/telescope|star|light/),
    expect.stringMatching(/bicycle|tyre|chain|brake/),
  ]);
});

test('creates chapters for speech without punctuation', () => {
  const cues = cuesOf(BREAD, STARS, BIKES).map((cue) => ({ ...cue, text: cue.text.replace('.', '').toLowerCase() }));
  const chapters = makeChapters(transcriptOf(cues), NO_EVIDENCE);
  expect(chapters).toHaveLength(3);
  for (const [index, join] of [0, 40, 80].entries()) {
    expect(Math.abs((chapters[index]?.start ?? -99) - join)).toBeLessThanOrEqual(5);
  }
});

test('a talk on one subject has one chapter, and a few words have none', () => {
  expect(makeChapters(transcriptOf(cuesOf(BREAD)), NO_EVIDENCE).length).toBeLessThanOrEqual(2);
  expect(makeChapters(transcriptOf(cuesOf('Hello there.')), NO_EVIDENCE)).toEqual([]);
});

test('extracts a title and a description from speech', () => {
  const talk = transcriptOf(cuesOf(BREAD));
  expect(makeTitle(talk)).toBe('Today we bake a loaf of bread');
  const description = makeDescription(talk);
  expect(description.length).toBeLessThanOrEqual(LONGEST.description);
  for (const sentence of description.split(/(?<=\.) /)) expect(BREAD).toContain(sentence);
  expect(makeTitle(transcriptOf([]))).toBe('');
  expect(makeDescription(transcriptOf([]))).toBe('');
});

const CONCERT = [
  'Welcome to the town band.',
  'Tonight the band plays four marches in the old hall.',
  "It's a pleasure to hear the hall filled with music.",
  "If you like the music, tomorrow we'll play the marches again.",
  'The conductor has led the band for twenty years.',
  'Tickets cost five euros at the door.',
];

test.each([
  ['in a cue each', CONCERT],
  ['over several cues', CONCERT.join(' ').match(/(?:\S+ ?){1,5}/g) ?? []],
])('titles, labels and descriptions are whole sentences, from captions %s', (_, texts) => {
  const cues = texts.map((text, index) => ({ startMs: index * 2000, endMs: index * 2000 + 1900, settings: '', text }));
  const talk = transcriptOf(cues);
  const said = CONCERT.map((sentence) => sentence.replace(/\.$/, ''));
  expect(makeTitle(talk)).toBe('Tonight the band plays four marches in the old hall');
  for (const sentence of makeDescription(talk).split(/(?<=\.) /)) expect(CONCERT).toContain(sentence);
  for (const { label } of makeMoments(talk, NO_EVIDENCE)) expect(said).toContain(label);
});

test.each([
  ['words without punctuation', ['music tomorrow we will', 'play it again for all of you']],
  ['unfinished sentences', ['The music of tomorrow...', 'We will play the…']],
  ['greetings and questions', ['Hello and welcome everybody.', 'Who plays the violin tonight?']],
  ['the end of a sentence', ['of the music that we play tomorrow.']],
  ['shouts', ['THE MUSIC STARTS AT EIGHT TONIGHT.']],
  ['a sentence without an end', ['The Music Starts At Eight Tonight']],
])('rejects as a title: %s', (_, texts) => {
  const cues = texts.map((text, index) => ({ startMs: index * 2000, endMs: index * 2000 + 1900, settings: '', text }));
  expect(makeTitle(transcriptOf(cues))).toBe('');
});

test('without whole sentences, there is no description, and titles consist of single words', () => {
  const cues = cuesOf(BREAD, STARS, BIKES).map((cue) => ({ ...cue, text: cue.text.replace('.', '').toLowerCase() }));
  const talk = transcriptOf(cues);
  expect(makeDescription(talk)).toBe('');
  const words = /^\p{Lu}[\p{L}']*(?:, [\p{L}']+)?$/u;
  for (const { title } of makeChapters(talk, NO_EVIDENCE)) expect(title).toMatch(words);
  for (const { label } of makeMoments(talk, NO_EVIDENCE)) expect(label).toMatch(words);
});

test('chooses the moments that are watched most or are loud', () => {
  const heat = Array.from({ length: 100 }, (_, index) => (index >= 50 && index < 54 ? 100 : 5));
  const moments = makeMoments(three, { ...NO_EVIDENCE, heat });
  expect(moments.length).toBeGreaterThan(0);
  const peakSec = three.durationSec * 0.52;
  expect(moments.some(({ timestamp }) => Math.abs(timestamp - peakSec) <= 6)).toBe(true);
  const loudnessDb = Array.from({ length: 120 }, (_, sec) => (sec >= 100 && sec < 103 ? -6 : -40));
  const loud = makeMoments(three, { ...NO_EVIDENCE, loudnessDb });
  expect(loud.some(({ timestamp }) => timestamp >= 98 && timestamp <= 104)).toBe(true);
  for (const { label } of moments) expect(label.length).toBeLessThanOrEqual(LONGEST.moment);
});

test('reads languages without spaces word by word', () => {
  const text = '今日は天体望遠鏡の話をします。望遠鏡で月を見ます。望遠鏡の鏡は大切です。月の写真を撮ります。';
  const cues = [{ startMs: 0, endMs: 20_000, settings: '', text }];
  const talk = transcriptOf(cues, 'ja');
  expect(talk.sentences.length).toBe(4);
  expect(makeTitle(talk)).toMatch(/望遠|月/);
});

test('generated texts never contain markup', () => {
  expect(plainLine('a <script>alert(1)</script>\u202e b <', 100)).toBe('a alert(1) b');
  expect(plainLine('word '.repeat(50), 20)).toBe('word word word…');
  const cues = cuesOf(BREAD.replaceAll('bread', '&lt;b&gt;bread&lt;/b&gt;'));
  const talk = transcriptOf(cues);
  for (const text of [makeTitle(talk), makeDescription(talk)]) expect(text).not.toMatch(/[<>]/);
});
