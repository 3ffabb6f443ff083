import { signal } from '@preact/signals';
import type { de } from '../languages/de.table.ts';
import { setCountryLanguage, translateCountry } from './countries.ts';
import { keepText, readKeptText } from './kept-text.ts';
import { isKnown, readTemplates, type Template, translateBy } from './templates.ts';

/** The dashboard's texts, in English. Every other language has a translation of each. */
export type Sentence = keyof typeof de;
type Translations = Readonly<Record<Sentence, string>>;

/** English texts are written where they are used. Other languages are separate files, loaded when chosen. */
const FILES = {
  de: async (): Promise<Translations> => (await import('../languages/de.table.ts')).de,
  es: async (): Promise<Translations> => (await import('../languages/es.table.ts')).es,
  fr: async (): Promise<Translations> => (await import('../languages/fr.table.ts')).fr,
  pt: async (): Promise<Translations> => (await import('../languages/pt.table.ts')).pt,
  ja: async (): Promise<Translations> => (await import('../languages/ja.table.ts')).ja,
} as const;

/** Translations of the service's messages, which arrive in English. */
const SERVICE_FILES = {
  de: async () => (await import('../languages/de.service.table.ts')).service,
  es: async () => (await import('../languages/es.service.table.ts')).service,
  fr: async () => (await import('../languages/fr.service.table.ts')).service,
  pt: async () => (await import('../languages/pt.service.table.ts')).service,
  ja: async () => (await import('../languages/ja.service.table.ts')).service,
} as const;

/** Languages by code (BCP 47), each with its own name. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
  ja: '日本語',
} as const;
export type LanguageCode = keyof typeof LANGUAGES;

const KEPT = 'millrace-language';

export const language = signal<LanguageCode>('en');
const translations = signal<Translations | null>(null);
const serviceWords = signal<readonly Template[]>([]);

/** Returns a sentence in the page's language, with `{0}`, `{1}` … replaced by values. */
export function t(sentence: Sentence, ...values: readonly (string | number)[]): string {
  const text = translations.value?.[sentence] ?? sentence;
  return text.replaceAll(/\{(\d)\}/g, (_, place) => String(values[Number(place)] ?? ''));
}

/** Returns a label from a table that other code also reads, translated if possible, or else unchanged. */
export function tr(text: string): string {
  const known: Readonly<Record<string, string>> = translations.value ?? {};
  return Object.hasOwn(known, text) ? (known[text] ?? text) : text;
}

/** Translates a message of the service to the page's language, if a translation exists. */
export function said(sentence: string): string {
  return translateBy(serviceWords.value, sentence, { nameValue: translateCountry });
}

/**
 * Translates a refusal of the service. Without a translation, `general` is shown first, a sentence in the page's
 * language for all refusals of its kind.
 */
export function saidRefusal(sentence: string, general: Sentence): string {
  if (language.value === 'en' || isKnown(serviceWords.value, sentence)) return said(sentence);
  return `${t(general)} (${sentence})`;
}

/** Returns the choices of a fixed list with translated labels. */
export function trAll(choices: readonly (readonly [value: string, label: string, ...rest: unknown[]])[]) {
  return choices.map(([value, text]) => [value, tr(text)] as const);
}

/** Restores the previously chosen language, or else picks the browser's first available one. */
export async function restoreLanguage(): Promise<void> {
  const wanted = [readKeptText(KEPT) ?? undefined, ...navigator.languages.map((tag) => tag.split('-')[0])];
  const found = wanted.find((code): code is LanguageCode => code !== undefined && Object.hasOwn(LANGUAGES, code));
  // If a file cannot be loaded, the page stays in English.
  await show(found ?? 'en').catch(() => undefined);
}

export async function chooseLanguage(code: LanguageCode): Promise<void> {
  await show(code);
  keepText(KEPT, code);
}

async function show(code: LanguageCode): Promise<void> {
  const [own, service] = code === 'en' ? [null, {}] : await Promise.all([FILES[code](), SERVICE_FILES[code]()]);
  translations.value = own;
  serviceWords.value = readTemplates(service);
  language.value = code;
  setCountryLanguage(code);
  document.documentElement.lang = code;
}
