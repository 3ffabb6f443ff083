import type { IncomingMessage } from 'node:http';

/** Returns the value of a cookie that a browser sent, or null. */
export function readCookie({ headers }: IncomingMessage, name: string): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([known]) => known === name)?.[1] ?? null;
}
