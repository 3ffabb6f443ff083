const PERCENT = '(?:100(?:\\.0+)?|\\d{1,2}(?:\\.\\d+)?)%';
const SETTINGS: Record<string, RegExp> = {
  vertical: /^(?:rl|lr)$/,
  line: new RegExp(`^(?:-?\\d{1,4}|${PERCENT})(?:,(?:start|center|end))?$`),
  position: new RegExp(`^${PERCENT}(?:,(?:line-left|center|line-right))?$`),
  size: new RegExp(`^${PERCENT}$`),
  align: /^(?:start|center|end|left|right)$/,
};

/**
 * Keeps the cue settings that WebVTT defines and are well formed (W3C WebVTT 4.3); `onDropped` is called with each
 * other word.
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
