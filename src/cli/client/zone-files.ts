import { ApiError } from '../../../sdk/src/millrace.ts';
import { signFile } from '../../catalog/pull-zones/verify-url-token.ts';
import { DownloadFailed } from '../../jobs/exports/transfer-fault.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';

/** Lifetime of a signed URL, in seconds. The URL only needs to be valid when the transfer starts. */
const SIGNED_SEC = 3_600;

/** Requests a file of a library's pull zone, from byte `fromByte` on. */
export type ZoneFiles = (path: string, fromByte: number) => Promise<Response>;

/**
 * Opens the files of the library's pull zone. Requires the account key to read the settings and the token key of the
 * pull zone. Derives the zone's URL from a thumbnail. If the library has none, every request fails with
 * `DownloadFailed`.
 */
export async function openZoneFiles(context: Pick<Context, 'millrace' | 'library' | 'url'>): Promise<ZoneFiles> {
  const { millrace, library } = context;
  const { PullZoneId } = await millrace.call('getLibrary', { id: library }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new Refused('invalid', `expected the account key and the id of a library, got none for library ${library}.`);
  });
  const zone = await millrace.call('getPullZone', { id: PullZoneId });
  const base = await findBase(context);
  const [referrer] = zone.AllowedReferrers;
  // A pull zone may also refuse requests without a referrer.
  const Referer = referrer === undefined ? `${context.url}/` : `https://${referrer.replace(/^\*\./, 'www.')}/`;
  // Always signed: the zone also requires tokens while the owner decides about viewers, and ignores them otherwise.
  const key = zone.ZoneSecurityKey;
  return (path, fromByte) => {
    if (base === null)
      throw new DownloadFailed(
        `${path}: the URL of the pull zone is unknown, because no video of the library has a thumbnail.`,
      );
    const expiresSec = Math.floor(Date.now() / 1000) + SIGNED_SEC;
    const query = key === null ? '' : `?${signFile({ key, path, expiresSec, address: null })}`;
    const range = fromByte === 0 ? {} : { Range: `bytes=${fromByte}-` };
    return fetch(`${base}${path}${query}`, { headers: { Referer, ...range } });
  };
}

async function findBase({
  millrace,
  library: libraryId,
}: Pick<Context, 'millrace' | 'library'>): Promise<string | null> {
  for await (const { thumbnailUrl } of millrace.pages('listVideos', { libraryId, itemsPerPage: 100 })) {
    const base = /^(https?:.*?)(?:\/bcdn_token=[^/]*)?\/[0-9a-f-]{36}\//.exec(thumbnailUrl ?? '')?.[1];
    if (base !== undefined) return base;
  }
  return null;
}
