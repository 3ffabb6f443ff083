import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DownloadSink, statusMessage } from '../../lib/outbound/download.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import { findSegments, findVariant } from '../../media/hls/read-playlist.ts';

const MAX_PLAYLIST_BYTES = 8 * 2 ** 20;
const MAX_SEGMENT_BYTES = 128 * 2 ** 20;
const TIME_LIMIT_MS = 120_000;
const IDLE_LIMIT_MS = 20_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;

type PlaylistRequest = {
  outbound: Outbound;
  url: string;
  headers: Readonly<Record<string, string>>;
  sink: DownloadSink;
  maxBytes: number;
};

/**
 * Downloads the best variant of a multivariant playlist (RFC 8216) into a sink: its segments, one after another, which
 * together are a playable MPEG-TS or fragmented MP4 file. Begins again after an interruption, because the sink does not
 * know the segment that it ends with. Throws `Refused` (`invalid`) for encrypted media, and for video without its
 * audio.
 */
export async function fetchPlaylist(request: PlaylistRequest, signal: AbortSignal): Promise<void> {
  const { sink, maxBytes, url } = request;
  const read = async (address: string) => await readPart(request, { address, limit: MAX_PLAYLIST_BYTES }, signal);
  const variant = findVariant((await read(url)).toString('utf8'), url);
  const segments = findSegments((await read(variant)).toString('utf8'), variant);
  if ((await sink.size()) > 0) await sink.reset();
  let size = 0;
  for (const address of segments) {
    const bytes = await readPart(request, { address, limit: Math.min(MAX_SEGMENT_BYTES, maxBytes - size) }, signal);
    await sink.append(size, Readable.from([bytes], { objectMode: false }), signal);
    size += bytes.length;
  }
}

type Part = { address: string; limit: number };

/** Reads a playlist or segment. Tries again after a lost connection and after a status of 408, 429 or 5xx. */
async function readPart(
  { outbound, headers }: PlaylistRequest,
  { address, limit }: Part,
  signal: AbortSignal,
): Promise<Buffer> {
  const limits = { maxBytes: Math.max(1, limit), timeoutMs: TIME_LIMIT_MS, idleTimeoutMs: IDLE_LIMIT_MS };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { status, body } = await outbound.request(address, { method: 'GET', headers, ...limits }, signal);
      if (status === 200) return await buffer(body);
      body.on('error', () => undefined);
      body.destroy();
      const isTransient = status === 408 || status === 429 || status >= 500;
      throw new Refused(isTransient ? 'unavailable' : 'invalid', statusMessage(status));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Refused) || !['unavailable', 'timeout'].includes(error.kind)) throw error;
      if (attempt === ATTEMPTS) throw error;
    }
    await sleep(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal });
  }
}
