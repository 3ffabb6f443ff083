/** Language of `countryIn`, set by the page. */
let shown = new Intl.DisplayNames('en', { type: 'region' });
const ENGLISH = new Intl.DisplayNames('en', { type: 'region' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Codes (ISO 3166-1 alpha-2) by English name. Created on first use. */
let codes: ReadonlyMap<string, string> | null = null;

export function setCountryLanguage(language: string): void {
  shown = new Intl.DisplayNames(language, { type: 'region' });
}

/** Returns the name of a country in the page's language. */
export function countryIn(code: string): string {
  return shown.of(code) ?? code;
}

/** Translates the English name of a country to the page's language. Any other text is returned unchanged. */
export function translateCountry(name: string): string {
  codes ??= new Map(
    LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).map((code) => [nameOf(code), code]),
  );
  const code = codes.get(name);
  return code === undefined ? name : countryIn(code);
}

function nameOf(code: string): string {
  return ENGLISH.of(code) ?? code;
}
