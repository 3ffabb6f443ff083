import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SegmentProgress } from '../../catalog/uploads/fetch-store.ts';
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
  /** Progress that an earlier worker noted, and a function that notes it. */
  memory: { progress: SegmentProgress | null; remember(progress: SegmentProgress): Promise<void> };
};

/**
 * Downloads the best variant of a multivariant playlist (RFC 8216) into a sink: its segments, one after another, which
 * together are a playable MPEG-TS or fragmented MP4 file. Continues after the last noted segment if the playlist is the
 * same. Throws `Refused` (`invalid`) for encrypted media, and for video without its audio.
 */
export async function fetchPlaylist(request: PlaylistRequest, signal: AbortSignal): Promise<void> {
  const { sink, limits, url, memory } = request;
  const read = async (address: string) => await readPart(request, { address, maxBytes: MAX_PLAYLIST_BYTES }, signal);
  const variant = findVariant((await read(url)).toString('utf8'), url);
  const segments = findSegments((await read(variant)).toString('utf8'), variant);
  const playlist = markOf(segments);
  let { done, sizeBytes } = await continueFrom(playlist, request);
  for (const address of segments.slice(done)) {
    const maxBytes = Math.max(1, Math.min(MAX_SEGMENT_BYTES, limits.maxBytes - sizeBytes));
    const bytes = await readPart(request, { address, maxBytes }, signal);
    // A worker that died has appended a part of this segment, or all of it.
    const offset = await sink.size();
    const rest = bytes.subarray(offset - sizeBytes);
    if (rest.length > 0) await sink.append(offset, Readable.from([rest], { objectMode: false }), signal);
    [done, sizeBytes] = [done + 1, sizeBytes + bytes.length];
    if ((await sink.size()) !== sizeBytes) {
      await sink.reset();
      throw new Error(`Expected ${sizeBytes} bytes of an HLS stream, got another number. It begins again.`);
    }
    await memory.remember({ playlist, done, sizeBytes });
  }
}

/** Returns where to continue. Empties the sink if its bytes do not belong to this playlist. */
async function continueFrom(
  playlist: string,
  { sink, memory: { progress } }: PlaylistRequest,
): Promise<{ done: number; sizeBytes: number }> {
  const staged = await sink.size();
  if (progress?.playlist === playlist && staged >= progress.sizeBytes) return progress;
  if (staged > 0) await sink.reset();
  return { done: 0, sizeBytes: 0 };
}

/** Identifies a list of segments. Tokens in queries differ between two requests. */
function markOf(segments: readonly string[]): string {
  const paths = segments.map((address) => address.replace(/[?#].*$/, ''));
  return createHash('sha256').update(paths.join('\n')).digest('hex');
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
