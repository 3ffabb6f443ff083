import type { Readable } from 'node:stream';
import type { Guid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { DrmSystem } from '../../ports/drm-key-source.ts';

/** A licence server; `{videoId}` in its address stands for the video. */
export type LicenceServer = { url: string; authorization: string | null };

/** The most bytes of a player's challenge. */
export const MAX_CHALLENGE_BYTES = 64 * 1024;

const TIMEOUT_MS = 10_000;
const MAX_LICENCE_BYTES = 256 * 1024;

/** Hands challenges of players on to the licence servers of the systems that a key server speaks for. */
export type LicenceProxy = {
  /** The systems whose licences can be had here. */
  systems: readonly DrmSystem[];
  /** FairPlay's application certificate (DER); null where none is set. */
  fairPlayCertificate: Buffer | null;
  /**
   * The licence server's answer to a challenge, as it came. Refuses `not-found` where no server of the system is set,
   * `forbidden` what the server refuses, and `unavailable` when it does not answer.
   */
  ask(system: DrmSystem, asked: { mediaId: Guid; challenge: Buffer }, signal: AbortSignal): Promise<Buffer>;
};

export type LicenceProxyOptions = {
  servers: Readonly<Partial<Record<DrmSystem, LicenceServer>>>;
  fairPlayCertificate: Buffer | null;
  outbound: Outbound;
};

/** Who may play must be judged before `ask` is called. */
export function createLicenceProxy({ servers, fairPlayCertificate, outbound }: LicenceProxyOptions): LicenceProxy {
  const systems = (['widevine', 'playReady', 'fairPlay'] as const).filter((system) => servers[system] !== undefined);
  return {
    systems,
    fairPlayCertificate,
    async ask(system, { mediaId, challenge }, signal) {
      const server = servers[system];
      if (server === undefined)
        throw new Refused('not-found', `No licence server of ${system} is set. Set its address.`);
      const { status, body } = await post(outbound, { server, mediaId, challenge }, signal);
      if (status === 200) return body;
      if (status >= 500) throw new Refused('unavailable', `The licence server answered HTTP ${status}. Try again.`);
      throw new Refused(
        'forbidden',
        `The licence server refused the player's request with HTTP ${status}. Ask its log.`,
      );
    },
  };
}

type Asked = { server: LicenceServer; mediaId: Guid; challenge: Buffer };

async function post(outbound: Outbound, { server, mediaId, challenge }: Asked, signal: AbortSignal) {
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
    return { status, body: await readAll(body) };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Refused ? error.message : 'Its answer broke off.';
    throw new Refused('unavailable', `The licence server gave no licence: ${reason} Try again.`, { cause: error });
  }
}

async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
