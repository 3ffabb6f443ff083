/** Returns the name of a language, in the language of the page, or its code if it has no name. */
export function nameLanguage(code: string): string {
  if (code === '') return '?';
  try {
    return new Intl.DisplayNames([document.documentElement.lang, 'en'], { type: 'language' }).of(code) ?? code;
  } catch (error) {
    // Uploads may contain any text as a language.
    if (error instanceof RangeError) return code;
    throw error;
  }
}
