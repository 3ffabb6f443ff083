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
  const sentences = [...readSources().matchAll(/\bt\('((?:[^'\\]|\\.)+)'/g)].map(([, text = '']) =>
    text.replaceAll("\\'", "'"),
  );
  expect(sentences.length).toBeGreaterThan(300);
  expect(sentences.filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([]);
});
