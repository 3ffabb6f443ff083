const PERCENT = '(?:100(?:\\.0+)?|\\d{1,2}(?:\\.\\d+)?)%';
const SETTINGS: Record<string, RegExp> = {
  vertical: /^(?:rl|lr)$/,
  line: new RegExp(`^(?:-?\\d{1,4}|${PERCENT})(?:,(?:start|center|end))?$`),
  position: new RegExp(`^${PERCENT}(?:,(?:line-left|center|line-right))?$`),
  size: new RegExp(`^${PERCENT}$`),
  align: /^(?:start|center|end|left|right)$/,
};

/**
 * Returns the well-formed cue settings that WebVTT defines (W3C WebVTT 4.3). Calls `onDropped` with every other word.
 */
export function readSettings(text: string, onDropped: (word: string) => void): string {
  const kept: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const colon = word.indexOf(':');
    const pattern = SETTINGS[word.slice(0, colon)];
    if (colon > 0 && pattern?.test(word.slice(colon + 1))) kept.push(word);
    else onDropped(word);
  }
  return kept.join(' ');
}

const POSITION_CODE = /\{[^{}]*\\(an?)(\d{1,2})[^{}]*\}/;

/**
 * Returns the cue settings for the first alignment code, such as `{\an8}` or `{\a6}`, in SubRip or SubStation Alpha
 * text. Returns an empty string if there is none.
 */
export function settingsOfCodes(text: string): string {
  const [, code, number = ''] = POSITION_CODE.exec(text) ?? [];
  if (code === undefined) return '';
  return settingsOfAlignment(code === 'an' ? Number(number) : fromLegacy(Number(number)));
}

/**
 * Returns the cue settings for a numeric keypad alignment: 1 to 3 are at the bottom, the default position, and 7 to 9
 * at the top. Returns an empty string for 2 and invalid numbers.
 */
export function settingsOfAlignment(keypad: number): string {
  if (!(keypad >= 1 && keypad <= 9)) return '';
  const line = keypad >= 7 ? 'line:0' : keypad >= 4 ? 'line:50%' : '';
  const align = keypad % 3 === 1 ? 'align:left' : keypad % 3 === 0 ? 'align:right' : '';
  return [line, align].filter((setting) => setting !== '').join(' ');
}

/** Converts an alignment of SubStation Alpha 4 (1 to 3, plus 4 at the top, plus 8 in the middle) to a keypad number. */
export function fromLegacy(number: number): number {
  return (number & 3) + ((number & 4) === 0 ? 0 : 6) + ((number & 8) === 0 ? 0 : 3);
}
