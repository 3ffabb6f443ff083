import { signFile } from '../../catalog/pull-zones/verify-url-token.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';

/** Lifetime of a signed URL, in seconds. The URL only needs to be valid when the transfer starts. */
const SIGNED_SEC = 3_600;

/** Requests a file of a library's pull zone, from byte `fromByte` on. */
export type ZoneFiles = (path: string, fromByte: number) => Promise<Response>;

/**
 * Opens the files of the library's pull zone. `thumbnailUrl` is the address of any thumbnail of the library. Needs the
 * account key, which reads the settings and the token key of the pull zone.
 */
export async function openZoneFiles({ millrace, library }: Context, thumbnailUrl: string): Promise<ZoneFiles> {
  const { PullZoneId } = await millrace.call('getLibrary', { id: library });
  const zone = await millrace.call('getPullZone', { id: PullZoneId });
  const base = /^(https?:.*?)(?:\/bcdn_token=[^/]*)?\/[0-9a-f-]{36}\//.exec(thumbnailUrl)?.[1];
  if (base === undefined) throw new Refused('invalid', `expected the address of a thumbnail, got ${thumbnailUrl}.`);
  const [referrer] = zone.AllowedReferrers;
  const headers = referrer === undefined ? {} : { Referer: `https://${referrer.replace(/^\*\./, 'www.')}/` };
  const key = zone.ZoneSecurityEnabled ? zone.ZoneSecurityKey : null;
  return (path, fromByte) => {
    const expiresSec = Math.floor(Date.now() / 1000) + SIGNED_SEC;
    const query = key === null ? '' : `?${signFile({ key, path, expiresSec, address: null })}`;
    const range = fromByte === 0 ? {} : { Range: `bytes=${fromByte}-` };
    return fetch(`${base}${path}${query}`, { headers: { ...headers, ...range } });
  };
}
