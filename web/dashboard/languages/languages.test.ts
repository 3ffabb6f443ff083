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
  const wrong = Object.entries(table).filter(([sentence, text]) => `${places(sentence)}` !== `${places(text)}`);
  // Translations of the service's messages may leave out values, such as ids.
  const invented = Object.entries(ofService).filter(
    ([sentence, text]) => !places(text).every((place) => places(sentence).includes(place)),
  );
  expect([...wrong, ...invented]).toEqual([]);
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
  expect(
    said(
      'The library uses 9 GB of 10 GB of storage (quota storageBytes), and 2 GB more would exceed it. Delete videos ' +
        'and empty the trash, or raise the limit.',
    ),
  ).toBe(
    'Die Bibliothek nutzt 9 GB von 10 GB Speicher, und weitere 2 GB wären zu viel. Lösche Videos und leere den ' +
      'Papierkorb, oder erhöhe das Limit.',
  );
});

test('no translation exists for a sentence that the service no longer sends', () => {
  const root = path.resolve(folder, '../../src');
  // The validator's words about fields are part of refusals.
  const validator = path.resolve(root, '../node_modules/typebox/build/system/locale/en_US.mjs');
  const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => path.join(root, name))
    .concat(validator)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  // Sentences are assembled from parts, so the end of each part must occur.
  const parts = Object.keys(service).flatMap((sentence) => sentence.split(/\{\d\}|[;:.,] /));
  const said = parts.map((part) => part.replace(/^[\d ;:.,]+|[ ;:.,]+$/g, '')).filter((part) => part.length > 9);
  expect(said.length).toBeGreaterThan(40);
  const endOf = (part: string) => part.split(' ').slice(-3).join(' ');
  expect(said.filter((part) => !source.includes(endOf(part)))).toEqual([]);
});

/** One word for each concept, by language. */
const TERMS: readonly (readonly [sentence: RegExp, words: Readonly<Record<string, RegExp>>])[] = [
  [/\bpasskey/i, { de: /passkey/i, es: /llave/i, fr: /passkey/i, pt: /passkey/i, ja: /パスキー/ }],
  [/\btrash\b/i, { de: /papierkorb/i, es: /papelera/i, fr: /corbeille/i, pt: /lixeira/i, ja: /ゴミ箱/ }],
  [/\bcollections?\b/i, { de: /sammlung/i, es: /colecci/i, fr: /collection/i, pt: /coleç/i, ja: /コレクション/ }],
  [/\bcaptions?\b/i, { de: /untertitel/i, es: /subtítulo/i, fr: /sous-titre/i, pt: /legenda/i, ja: /字幕/ }],
  [/\bthumbnails?\b/i, { de: /vorschaubild/i, es: /miniatura/i, fr: /miniature/i, pt: /miniatura/i, ja: /サムネイル/ }],
  [/\bchapters?\b/i, { de: /kapitel/i, es: /capítulo/i, fr: /chapitre/i, pt: /capítulo/i, ja: /チャプター/ }],
  [/\baudio tracks?\b/i, { de: /tonspur/i, es: /pista/i, fr: /piste/i, pt: /faixa/i, ja: /音声トラック/ }],
  [/\bowners?\b/i, { de: /inhaber/i, es: /propietari/i, fr: /propriétaire/i, pt: /proprietári/i, ja: /オーナー/ }],
  [/\blive streams?\b/i, { de: /livestream/i, es: /transmisi/i, fr: /direct/i, pt: /transmiss/i, ja: /ライブ配信/ }],
  [/\bresolutions?\b/i, { de: /auflösung/i, es: /resoluci/i, fr: /résolution/i, pt: /resoluç/i, ja: /解像度/ }],
  [/\bpasswords?\b/i, { de: /passw/i, es: /contraseña/i, fr: /mots? de passe/i, pt: /senha/i, ja: /パスワード/ }],
  [
    /\bpull zones?\b/i,
    { de: /pull-zone/i, es: /zona de distr/i, fr: /pull zone/i, pt: /pull zone/i, ja: /プルゾーン/ },
  ],
  [
    /\bstream key/i,
    { de: /streamschl/i, es: /clave de tr/i, fr: /clé de flux/i, pt: /chave de tr/i, ja: /ストリームキー/ },
  ],
  [/\bhost names?\b/i, { de: /hostname/i, es: /nombres? de h/i, fr: /noms? d’h/i, pt: /nomes? de h/i, ja: /ホスト名/ }],
];

/** Spellings that a language does not use. */
const WRONG: Readonly<Record<string, RegExp>> = {
  // The formal address.
  de: /["']|\b(?:Ihnen|Ihrem|Ihren|möchten Sie)\b/,
  es: /["'«]|\b[Vv]ideos?\b|\b(?:usted|Seleccione|Introduzca|Haga)\b/,
  // Straight apostrophes, and punctuation marks after an ordinary space.
  fr: /["']| [:;!?](?:\s|$)|« | »|(?<!\p{L})(?:tu|ton|tes)(?!\p{L})/u,
  pt: /["«]|\b(?:ficheiro|ecrã|utilizador|partilhar)\b/,
  // Half-width punctuation within Japanese text.
  ja: /[ぁ-んァ-ヶ一-龠](?:: |[!?,.])|サインイン/,
};

test.each(TABLES)('uses one word per concept, and the usual spelling: %s', (code, table, ofService) => {
  const entries = Object.entries({ ...table, ...ofService });
  const foreign = entries.filter(([sentence, text]) =>
    TERMS.some(([term, words]) => term.test(sentence) && words[code]?.test(text) === false),
  );
  const wrong = entries.filter(([, text]) => /\.\.\./.test(text) || WRONG[code]?.test(text) === true);
  expect({ foreign, wrong }).toEqual({ foreign: [], wrong: [] });
});
