import { sha256Hex } from './digest.ts';

/**
 * Signs the URL of a player page, `https://edge/embed/{libraryId}/{videoId}`: adds `token` and `expires` (Unix time in
 * seconds) and keeps the other parameters. `securityKey` is the token key of the library's pull zone. The key must stay
 * on a server.
 */
export async function signEmbedUrl(url: string, securityKey: string, expiresSec: number): Promise<string> {
  const signed = new URL(url);
  const videoId = /^.*\/(?:embed|play)\/\d+\/([^/]+)\/?$/.exec(signed.pathname)?.[1];
  if (videoId === undefined) throw new TypeError(`Expected a URL that ends in /embed/LIBRARY/VIDEO, got ${url}.`);
  signed.searchParams.set('token', await sha256Hex(`${securityKey}${videoId}${expiresSec}`));
  signed.searchParams.set('expires', String(expiresSec));
  return signed.href;
}
