import { signal } from '@preact/signals';
import type { de } from '../languages/de.table.ts';
import { readTemplates, type Template, translateBy } from './templates.ts';

/** What the dashboard says, in English; every other language has a translation of each. */
export type Sentence = keyof typeof de;
type Translations = Readonly<Record<Sentence, string>>;

/** English is written where it is used; the others are files of their own, loaded when they are chosen. */
const FILES = {
  de: async (): Promise<Translations> => (await import('../languages/de.table.ts')).de,
} as const;

/** What the service says, which comes in English. */
const SERVICE_FILES = {
  de: async () => (await import('../languages/de.service.table.ts')).service,
} as const;

/** Languages by their code (BCP 47), each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type LanguageCode = keyof typeof LANGUAGES;

const KEPT = 'millrace-language';

export const language = signal<LanguageCode>('en');
const translations = signal<Translations | null>(null);
const serviceWords = signal<readonly Template[]>([]);

/** A sentence in the language of the page, with values in the places of `{0}`, `{1}` … */
export function t(sentence: Sentence, ...values: readonly (string | number)[]): string {
  const text = translations.value?.[sentence] ?? sentence;
  return text.replaceAll(/\{(\d)\}/g, (_, place) => String(values[Number(place)] ?? ''));
}

/** A label of a table that other code reads too: translated where there is a translation, else as it is. */
export function tr(text: string): string {
  const known: Readonly<Record<string, string>> = translations.value ?? {};
  return Object.hasOwn(known, text) ? (known[text] ?? text) : text;
}

/** What the service said, in the language of the page as far as there is a translation of it. */
export function said(sentence: string): string {
  return translateBy(serviceWords.value, sentence);
}

/** Choices of a fixed list with their labels translated. */
export function trAll(choices: readonly (readonly [value: string, label: string, ...rest: unknown[]])[]) {
  return choices.map(([value, text]) => [value, tr(text)] as const);
}

/** Chooses the language that was chosen before, else the first of the browser's that there is. */
export async function restoreLanguage(): Promise<void> {
  const wanted = [readKept(), ...navigator.languages.map((tag) => tag.split('-')[0])];
  const found = wanted.find((code): code is LanguageCode => code !== undefined && Object.hasOwn(LANGUAGES, code));
  // A file that cannot be loaded leaves the page in English.
  await show(found ?? 'en').catch(() => undefined);
}

export async function chooseLanguage(code: LanguageCode): Promise<void> {
  await show(code);
  try {
    localStorage.setItem(KEPT, code);
  } catch {
    // A browser that keeps nothing shows it until the page is closed.
  }
}

async function show(code: LanguageCode): Promise<void> {
  const [own, service] = code === 'en' ? [null, {}] : await Promise.all([FILES[code](), SERVICE_FILES[code]()]);
  translations.value = own;
  serviceWords.value = readTemplates(service);
  language.value = code;
  document.documentElement.lang = code;
}

function readKept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}
