import { buffer } from 'node:stream/consumers';
import type { Guid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { DrmSystem } from '../../ports/drm-key-source.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';

/** A licence server. `{videoId}` in its URL is replaced by the id of the video. */
export type LicenceServer = { url: string; authorization: string | null };

const TIMEOUT_MS = 10_000;
const MAX_LICENCE_BYTES = 256 * 1024;

export type LicenceProxyOptions = {
  servers: Readonly<Partial<Record<DrmSystem, LicenceServer>>>;
  fairPlayCertificate: Buffer | null;
  outbound: Outbound;
};

/** Creates a proxy to licence servers. The caller must authorise playback before it calls `request`. */
export function createLicenceProxy({ servers, fairPlayCertificate, outbound }: LicenceProxyOptions): LicenceProxy {
  const systems = (['widevine', 'playReady', 'fairPlay'] as const).filter((system) => servers[system] !== undefined);
  return {
    systems,
    fairPlayCertificate,
    async request(system, { mediaId, challenge }, signal) {
      const server = servers[system];
      if (server === undefined)
        throw new Refused('not-found', `No licence server is configured for ${system}. Configure its URL.`);
      const { status, body } = await post(outbound, { server, mediaId, challenge }, signal);
      if (status === 200) return body;
      if (status >= 500)
        throw new Refused('unavailable', `The licence server responded with HTTP ${status}. Try again.`);
      throw new Refused(
        'forbidden',
        `The licence server refused the player's request with HTTP ${status}. Check its log.`,
      );
    },
  };
}

type Requested = { server: LicenceServer; mediaId: Guid; challenge: Buffer };

async function post(outbound: Outbound, { server, mediaId, challenge }: Requested, signal: AbortSignal) {
  const { url, authorization } = server;
  const request = {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      ...(authorization === null ? {} : { authorization }),
    },
    body: challenge,
    maxBytes: MAX_LICENCE_BYTES,
    timeoutMs: TIMEOUT_MS,
    redirects: 'returned',
  } as const;
  try {
    const { status, body } = await outbound.request(url.replaceAll('{videoId}', mediaId), request, signal);
    return { status, body: await buffer(body) };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Refused ? error.message : 'Its response was incomplete.';
    throw new Refused('unavailable', `The licence server returned no licence: ${reason} Try again.`, { cause: error });
  }
}
