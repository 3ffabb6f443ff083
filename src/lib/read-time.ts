const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+ -]\d{2}:?\d{2})?$/i;

/**
 * Parses an RFC 3339 date with or without a time. Without a zone it is UTC. A space is accepted for the plus of an
 * offset, as in an unescaped query. Returns null for anything else, such as the 30th of February.
 */
export function readTime(text: string): Date | null {
  const trimmed = text.trim();
  const found = TIME.exec(trimmed);
  if (found === null || !isDay(trimmed.slice(0, 10))) return null;
  const zone = found[1] ?? 'Z';
  const local = trimmed.slice(0, trimmed.length - (found[1]?.length ?? 0)).replace(' ', 'T');
  const time = new Date(`${local.length === 10 ? `${local}T00:00` : local}${zone.replace(' ', '+')}`);
  return Number.isNaN(time.getTime()) ? null : time;
}

function isDay(date: string): boolean {
  const time = new Date(`${date}T00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === date;
}
