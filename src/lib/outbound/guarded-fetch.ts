import { buffer } from 'node:stream/consumers';
import type { Outbound } from './outbound.ts';

type Options = {
  method?: string;
  headers?: HeadersInit;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/** A `fetch` as packages for OAuth and JSON Web Tokens expect it. */
export type GuardedFetch = (url: string, options: Options) => Promise<Response>;

/** Creates a `fetch` that follows the rules for outbound requests. Never follows redirects. */
export function createGuardedFetch(outbound: Outbound, limits: { maxBytes: number; timeoutMs: number }): GuardedFetch {
  return async (url, { method, headers, body, signal }) => {
    const answer = await outbound.request(
      url,
      {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(headers)),
        ...(body != null && { body: String(body) }),
        ...limits,
        redirects: 'returned',
      },
      signal ?? new AbortController().signal,
    );
    const bytes = await buffer(answer.body);
    const { 'content-type': type, 'www-authenticate': challenge } = answer.headers;
    const sent = {
      ...(type !== undefined && { 'content-type': type }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
    };
    return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: sent });
  };
}
