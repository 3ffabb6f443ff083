/**
 * A range of wall-clock time, in ms since 1970. A null end is open. `query` is the original text, because a token may
 * sign it exactly as sent.
 */
export type ClockRange = { fromMs: number | null; toMs: number | null; query: string };

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?$/i;
const MILLISECONDS = /^\d{12,14}$/;

/** Parses `from` and `to` of a query: UTC in ISO 8601, or ms since 1970. Returns null if both are absent. */
export function readClockRange(requested: URLSearchParams): ClockRange | null | 'invalid' {
  const [from, to] = [requested.get('from'), requested.get('to')];
  if (from === null && to === null) return null;
  const [fromMs, toMs] = [readTime(from), readTime(to)];
  if (fromMs === 'invalid' || toMs === 'invalid') return 'invalid';
  if (fromMs !== null && toMs !== null && toMs <= fromMs) return 'invalid';
  const query = Object.entries({ from, to }).flatMap(([name, text]) => (text === null ? [] : [`${name}=${text}`]));
  return { fromMs, toMs, query: query.join('&') };
}

/** Whether media from `startMs` to `endMs` overlaps a range. */
export function touches({ fromMs, toMs }: ClockRange, startMs: number, endMs: number): boolean {
  return (toMs === null || startMs < toMs) && (fromMs === null || endMs > fromMs);
}

function readTime(text: string | null): number | null | 'invalid' {
  if (text === null) return null;
  if (MILLISECONDS.test(text)) return Number(text);
  if (!DATE.test(text)) return 'invalid';
  const ms = Date.parse(/z$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? 'invalid' : ms;
}
