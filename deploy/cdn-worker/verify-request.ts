import {
  candidates,
  judgeToken,
  readAddress,
  type SigningZone,
  type TokenFault,
} from '../../src/catalog/pull-zones/url-token.ts';
import { md5 } from './md5.ts';

/** The client as the CDN reports it. `country` is ISO 3166-1 alpha-2, or empty. */
export type Client = { address: string; country: string; nowMs: number };

/** `limitKBps`: rate limit in the token; null for no limit. */
export type Verdict = { fault: TokenFault } | { fault: null; limitKBps: number | null };

/**
 * Verifies a signed URL in a CDN's worker, using only WebCrypto and the same parser and rules as the edge. Bundle it
 * with any bundler, and call it before the lookup in the CDN's cache, so that hits are verified too. `target` is path
 * and query as sent (not normalised by a URL class).
 */
export async function verifyRequest(target: string, zone: SigningZone, client: Client): Promise<Verdict> {
  const address = readAddress(target, zone.prefix);
  const { token, path, decodedPath } = address;
  if (typeof token === 'string') return { fault: token };
  if (zone.holdsAddress && token.scheme === 'hs256' && !token.bindsAddress) return { fault: 'ip-required' };
  if (decodedPath === null) return { fault: 'bad-path' };
  let isSigned = false;
  for (const candidate of candidates({ token, path }, client.address, zone)) {
    const digest = await digestOf(candidate);
    isSigned = isEqual(digest, token.signature) || isSigned;
  }
  if (!isSigned) return { fault: 'signature' };
  const facts = { path: decodedPath, prefix: zone.prefix, country: client.country, nowSec: client.nowMs / 1000 };
  const fault = judgeToken(token, facts);
  return fault === null ? { fault: null, limitKBps: token.limitKBps } : { fault };
}

async function digestOf({
  algorithm,
  key,
  message,
}: {
  algorithm: 'hmac-sha256' | 'sha256' | 'md5';
  key: string;
  message: Uint8Array;
}): Promise<string> {
  const bytes = Uint8Array.from(message);
  if (algorithm === 'md5') return toBase64Url(md5(bytes));
  if (algorithm === 'sha256') return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const secret = new TextEncoder().encode(key);
  const imported = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Takes a time that depends only on the length. */
function isEqual(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
