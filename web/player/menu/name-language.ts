/** The name of a language in the page's own; its code where there is no name. */
export function nameLanguage(code: string): string {
  if (code === '') return '?';
  try {
    return new Intl.DisplayNames([document.documentElement.lang, 'en'], { type: 'language' }).of(code) ?? code;
  } catch (error) {
    // Uploads may call a language anything.
    if (error instanceof RangeError) return code;
    throw error;
  }
}
