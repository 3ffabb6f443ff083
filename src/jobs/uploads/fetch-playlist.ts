import { Readable } from 'node:stream';
import { type DownloadLimits, type DownloadSink, download } from '../../lib/outbound/download.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { findSegments, findVariant } from '../../media/hls/read-playlist.ts';

const MAX_PLAYLIST_BYTES = 8 * 2 ** 20;
/** Segments are held in memory until they are whole. */
const MAX_SEGMENT_BYTES = 128 * 2 ** 20;
/** Time limit of a playlist or segment, with all attempts, in ms. */
const PART_LIMIT_MS = 600_000;

type PlaylistRequest = {
  outbound: Outbound;
  url: string;
  headers: Readonly<Record<string, string>>;
  sink: DownloadSink;
  limits: DownloadLimits;
};

/**
 * Downloads the best variant of a multivariant playlist (RFC 8216) into a sink: its segments, one after another, which
 * together are a playable MPEG-TS or fragmented MP4 file. Begins again after an interruption, because the sink does not
 * know the segment that it ends with. Throws `Refused` (`invalid`) for encrypted media, and for video without its
 * audio.
 */
export async function fetchPlaylist(request: PlaylistRequest, signal: AbortSignal): Promise<void> {
  const { sink, limits, url } = request;
  const read = async (address: string) => await readPart(request, { address, maxBytes: MAX_PLAYLIST_BYTES }, signal);
  const variant = findVariant((await read(url)).toString('utf8'), url);
  const segments = findSegments((await read(variant)).toString('utf8'), variant);
  if ((await sink.size()) > 0) await sink.reset();
  let size = 0;
  for (const address of segments) {
    const maxBytes = Math.max(1, Math.min(MAX_SEGMENT_BYTES, limits.maxBytes - size));
    const bytes = await readPart(request, { address, maxBytes }, signal);
    await sink.append(size, Readable.from([bytes], { objectMode: false }), signal);
    size += bytes.length;
  }
}

type Part = { address: string; maxBytes: number };

/** Downloads a playlist or segment into memory. */
async function readPart(
  { outbound, headers, limits }: PlaylistRequest,
  { address, maxBytes }: Part,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  const sink: DownloadSink = {
    size: async () => sizeBytes,
    async append(_, body) {
      for await (const piece of body) {
        pieces.push(piece);
        sizeBytes += piece.length;
      }
      return sizeBytes;
    },
    async reset() {
      pieces.length = 0;
      sizeBytes = 0;
    },
  };
  const ownLimits = { ...limits, maxBytes, timeoutMs: Math.min(limits.timeoutMs, PART_LIMIT_MS) };
  await download({ outbound, url: address, headers, sink, limits: ownLimits }, signal);
  return Buffer.concat(pieces);
}
