import type { IncomingMessage } from 'node:http';
import type { EmbedToken } from '../../catalog/libraries/embed-token.ts';

/** What a request shows of who plays: where it comes from, and its embed token. */
export type PlayRequest = {
  /** The page that it names as its origin; null for none. */
  referrer: string | null;
  /** The name by which the edge was asked. */
  host: string;
  shown: EmbedToken;
};

const EXPIRES = /^\d{1,12}$/;

/** Reads it from a request. Names in its query are found in any case, as everywhere in the interface. */
export function readPlayRequest({ url = '', headers }: IncomingMessage): PlayRequest {
  const query = url.indexOf('?');
  const sent = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query === -1 ? '' : url.slice(query))) {
    if (!sent.has(name.toLowerCase())) sent.set(name.toLowerCase(), value);
  }
  const expires = sent.get('expires') ?? '';
  return {
    // A page that hides its address from a request across origins still names its origin.
    referrer: headers.referer ?? headers.origin ?? null,
    host: (headers.host ?? '').replace(/:\d*$/, '').toLowerCase(),
    shown: { token: sent.get('token') ?? '', expiresSec: EXPIRES.test(expires) ? Number(expires) : 0 },
  };
}

/** The token as a query, to hand it on to the next address; empty for none, or what cannot be one. */
export function tokenQuery({ shown: { token, expiresSec } }: PlayRequest): string {
  return /^[0-9a-f]{64}$/i.test(token) && expiresSec > 0 ? `token=${token}&expires=${expiresSec}` : '';
}
