/** A name of a track for people: its title, else its language in English, else `fallback`. */
export function nameTrack(track: { title: string | null; language: string }, fallback: string): string {
  const { title, language } = track;
  if (title !== null && title !== '') return title;
  if (language === 'und') return fallback;
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language) ?? language;
}
