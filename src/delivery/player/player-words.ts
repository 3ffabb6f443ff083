import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Texts of the page, by key. `{names}` in a text are placeholders for values. */
export type Words = Readonly<Record<string, string>>;
export type Languages = ReadonlyMap<string, Words>;

const STANDARD = 'en';
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/** Reads one file per language, named by its code. English fills in missing texts. */
export async function readLanguages(folder: string): Promise<Languages> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const read = async (name: string): Promise<Words> => JSON.parse(await readFile(path.join(folder, name), 'utf8'));
  const standard = await read(`${STANDARD}.json`);
  const languages = new Map<string, Words>();
  for (const name of names)
    languages.set(path.basename(name, '.json').toLowerCase(), { ...standard, ...(await read(name)) });
  return languages;
}

/**
 * Returns the texts of a language, or of the first supported one in an Accept-Language list: `de-AT` selects `de`.
 * Falls back to English.
 */
export function chooseWords(languages: Languages, wanted: string): { language: string; isRtl: boolean; words: Words } {
  const codes = wanted.split(',').map((part) => part.replace(/;.*/, '').trim().toLowerCase());
  const names = codes.flatMap((code) => [code, code.replace(/-.*/, '')]);
  const language = names.find((name) => languages.has(name)) ?? STANDARD;
  return { language, isRtl: RIGHT_TO_LEFT.has(language), words: languages.get(language) ?? {} };
}
