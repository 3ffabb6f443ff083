import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { de } from './de.table.ts';

const folder = path.resolve(import.meta.dirname, '..');
const places = (text: string) =>
  [...text.matchAll(/\{\d\}/g)].map(String).toSorted((first, second) => first.localeCompare(second));

/** Everything of the dashboard that could show a sentence. */
function readSources(): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('languages/') && !name.includes('.test.'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
}

test('a translation fills the same places as its sentence', () => {
  const wrong = Object.entries(de).filter(([sentence, text]) => `${places(sentence)}` !== `${places(text)}`);
  expect(wrong).toEqual([]);
});

test('every sentence of the dashboard is translated', () => {
  const calls = readSources().matchAll(/\bt\(\s*(['"])((?:(?!\1)[^\\]|\\.)+)\1/g);
  const sentences = [...calls].map(([, , text = '']) => text.replaceAll("\\'", "'"));
  expect(sentences.length).toBeGreaterThan(700);
  expect(sentences.filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([]);
});

test('no words stand in a page but those that can be translated', () => {
  const source = readSources();
  const texts = source.matchAll(/<(\w+)[^<>]*>\s*([A-Za-z][^<>{}]*?)\s*<\/\1>/g);
  const attributes = source.matchAll(/\b(?:aria-label|alt|title|hint|placeholder)="([A-Za-z][^"]*)"/g);
  const found = [...texts].map(([, , text = '']) => text).concat([...attributes].map(([, text = '']) => text));
  expect(found).toEqual([]);
});

test('no translation is left of a sentence that is gone', () => {
  // Labels of tables and words of answers are translated too, wherever they stand.
  const source = readSources().replaceAll("\\'", "'");
  const isThere = (sentence: string) => source.includes(sentence) || source.includes(sentence.replace(/s$/, ''));
  expect(Object.keys(de).filter((sentence) => sentence.includes(' ') && !isThere(sentence))).toEqual([]);
});
