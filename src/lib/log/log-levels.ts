import { distance } from 'fastest-levenshtein';

/** Levels of log lines, in order of urgency. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Least urgent level that is written, and exceptions by part or role. */
export type LevelPlan = { level: LogLevel; parts: Readonly<Record<string, LogLevel>> };

export const DEFAULT_LEVELS: LevelPlan = { level: 'info', parts: {} };

/** Parses levels such as `info,ingest=debug`. Returns null if a level or one of `parts` is unknown. */
export function parseLevels(text: string, parts: readonly string[]): LevelPlan | null {
  let level: LogLevel = DEFAULT_LEVELS.level;
  const exceptions: Record<string, LogLevel> = {};
  for (const [part, given] of itemsOf(text)) {
    const found = LOG_LEVELS.find((one) => one === given);
    if (found === undefined || (part !== null && !parts.includes(part))) return null;
    if (part === null) level = found;
    else exceptions[part] = found;
  }
  return { level, parts: exceptions };
}

/** Names the nearest known word for each unknown one in `text`; an empty text if no word is near. */
export function explainLevels(text: string, parts: readonly string[]): string {
  const hints = itemsOf(text).flatMap(([part, level]) => [
    ...(part === null ? [] : [nearest(part, parts)]),
    nearest(level, LOG_LEVELS),
  ]);
  return hints.filter((hint) => hint !== '').join(' ');
}

/** Returns `Did you mean …?` for a misspelt word, or an empty text if the word is known or nothing is near. */
export function nearest(word: string, known: readonly string[]): string {
  if (known.includes(word)) return '';
  const lower = word.toLowerCase();
  const far = (one: string) => (lower.startsWith(one) ? 1 : distance(lower, one));
  const [best] = known.map((one) => ({ one, far: far(one) })).sort((a, b) => a.far - b.far);
  if (best === undefined || best.far > Math.max(2, Math.ceil(best.one.length / 2))) return '';
  return `Did you mean ${best.one} instead of ${word}?`;
}

function itemsOf(text: string): [part: string | null, level: string][] {
  return text.split(',').map((item) => {
    const [name = '', level] = item.split('=').map((word) => word.trim());
    return level === undefined ? [null, name] : [name, level];
  });
}
