import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTemplates, translateBy } from '../base/templates.ts';
import { service } from './de.service.table.ts';
import { de } from './de.table.ts';
import { service as esService } from './es.service.table.ts';
import { es } from './es.table.ts';
import { service as frService } from './fr.service.table.ts';
import { fr } from './fr.table.ts';
import { service as jaService } from './ja.service.table.ts';
import { ja } from './ja.table.ts';
import { service as ptService } from './pt.service.table.ts';
import { pt } from './pt.table.ts';

const TABLES: readonly (readonly [code: string, table: Readonly<Record<string, string>>, service: object])[] = [
  ['de', de, service],
  ['es', es, esService],
  ['fr', fr, frService],
  ['ja', ja, jaService],
  ['pt', pt, ptService],
];

const folder = path.resolve(import.meta.dirname, '..');
const places = (text: string) =>
  [...text.matchAll(/\{\d\}/g)].map(String).toSorted((first, second) => first.localeCompare(second));

/** Returns all dashboard sources that could contain a sentence. */
function readSources(): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('languages/') && !name.includes('.test.'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
}

test.each(TABLES)('each translation has the same placeholders as its sentence: %s', (_code, table, ofService) => {
  const wrong = Object.entries({ ...table, ...ofService }).filter(
    ([sentence, text]) => `${places(sentence)}` !== `${places(text)}`,
  );
  expect(wrong).toEqual([]);
});

test.each(TABLES)('all languages translate the same sentences: %s', (_code, table, ofService) => {
  expect(new Set(Object.keys(table))).toEqual(new Set(Object.keys(de)));
  expect(new Set(Object.keys(ofService))).toEqual(new Set(Object.keys(service)));
});

test.each(TABLES)('no translation is empty: %s', (_code, table, ofService) => {
  expect(Object.entries({ ...table, ...ofService }).filter(([, text]) => text.trim() === '')).toEqual([]);
});

test('every sentence of the dashboard is translated', () => {
  const calls = readSources().matchAll(/\bt\(\s*(['"])((?:(?!\1)[^\\]|\\.)+)\1/g);
  const sentences = [...calls].map(([, , text = '']) => text.replaceAll("\\'", "'"));
  expect(sentences.length).toBeGreaterThan(700);
  expect(sentences.filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([]);
});

test('every visible word can be translated', () => {
  const source = readSources();
  const texts = source.matchAll(/<(\w+)[^<>]*>\s*([A-Za-z][^<>{}]*?)\s*<\/\1>/g);
  const attributes = source.matchAll(/\b(?:aria-label|alt|title|hint|placeholder)="([A-Za-z][^"]*)"/g);
  const found = [...texts].map(([, , text = '']) => text).concat([...attributes].map(([, text = '']) => text));
  expect(found).toEqual([]);
});

test('no translation exists for a removed sentence', () => {
  // Also covers labels of tables and words of responses, wherever they occur.
  const source = readSources().replaceAll("\\'", "'");
  const isThere = (sentence: string) => source.includes(sentence) || source.includes(sentence.replace(/s$/, ''));
  expect(Object.keys(de).filter((sentence) => sentence.includes(' ') && !isThere(sentence))).toEqual([]);
});

test('translates sentences of the service with their values, and returns untranslated sentences unchanged', () => {
  const templates = readTemplates(service);
  const said = (sentence: string) => translateBy(templates, sentence);
  expect(
    said('Waiting for 3 other videos of this library, sharing encoders with 1 other library; done in about 5 min.'),
  ).toBe(
    'Wartet auf 3 andere Videos dieser Bibliothek, teilt sich die Encoder mit 1 anderen Bibliothek; ' +
      'fertig in etwa 5 min.',
  );
  expect(said('No file received yet. Waiting for its file.')).toBe('Noch keine Datei empfangen. Wartet auf die Datei.');
  expect(said('720p could not be created: out of (memory) $1.')).toBe(
    '720p konnte nicht erzeugt werden: out of (memory) $1.',
  );
  expect(said('Quite another thing.')).toBe('Quite another thing.');
});

test('no translation exists for a sentence that the service no longer sends', () => {
  const root = path.resolve(folder, '../../src');
  const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => readFileSync(path.join(root, name), 'utf8'))
    .join('\n');
  // Sentences are assembled from parts, so the end of each part must occur.
  const parts = Object.keys(service).flatMap((sentence) => sentence.split(/\{\d\}|[;:.,] /));
  const said = parts.map((part) => part.replace(/^[\d ;:.,]+|[ ;:.,]+$/g, '')).filter((part) => part.length > 9);
  expect(said.length).toBeGreaterThan(40);
  const endOf = (part: string) => part.split(' ').slice(-3).join(' ');
  expect(said.filter((part) => !source.includes(endOf(part)))).toEqual([]);
});
