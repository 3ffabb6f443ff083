import type { IncomingMessage } from 'node:http';
import type { PackedFile } from '../../lib/packed-code.ts';
import { type Answer, CACHE_FOR_EVER, notFound } from '../http/answer.ts';
import type { PlayerAssets } from './load-player-assets.ts';

const CACHE_AN_HOUR = 'public, max-age=3600';

/** Serves a file of the player page with the best content coding that the browser accepts. */
export function serveAsset(name: string, message: IncomingMessage, player: PlayerAssets): Answer {
  return toAnswer(player.files.get(name), message, CACHE_FOR_EVER);
}

/** Serves a script for pages that embed the player. Its URL stays the same when the file changes. */
export function serveEmbedClient(
  script: 'protocol' | 'element',
  message: IncomingMessage,
  { files, embedClient, element }: PlayerAssets,
): Answer {
  return toAnswer(files.get(script === 'protocol' ? embedClient : element), message, CACHE_AN_HOUR);
}

function toAnswer(asset: PackedFile | undefined, { headers }: IncomingMessage, cacheControl: string): Answer {
  if (asset === undefined) return notFound('not-found');
  const { contentType, etag } = asset;
  const described = { kind: 'bytes', contentType, cacheControl } as const;
  const coding = chooseCoding([headers['accept-encoding'] ?? ''].flat().join());
  const vary = { Vary: 'Accept-Encoding' };
  if (coding === null) return { ...described, bytes: asset.plain, etag: `"${etag}"`, headers: vary };
  const bytes = coding === 'br' ? asset.brotli : asset.gzip;
  return { ...described, bytes, etag: `"${etag}-${coding}"`, headers: { ...vary, 'Content-Encoding': coding } };
}

/**
 * Chooses a content coding (RFC 9110 section 12.5.3). A weight of 0 excludes a coding. Other weights are not compared.
 */
function chooseCoding(accepted: string): 'br' | 'gzip' | null {
  const codings = new Map<string, boolean>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    codings.set(name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)));
  }
  if (codings.get('br') === true) return 'br';
  return codings.get('gzip') === true ? 'gzip' : null;
}
