const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
/** Enough digits to tell the use of a library from its limit. */
const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, useGrouping: false });

/** Formats a number of bytes for people: `15.17 MB`. */
export function bytesText(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  return `${NUMBER.format(count / 1000 ** power)} ${UNITS[power]}`;
}
