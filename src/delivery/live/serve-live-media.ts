import type { Publication } from '../../catalog/publications/publication.ts';
import type { NamedProtection } from '../../catalog/shield/admission/edge-path.ts';
import { openAes } from '../../lib/aes.ts';
import type { Guid } from '../../lib/guid.ts';
import { encryptSegment, HEADROOM_BYTES } from '../../media/drm/encryption/encrypt-segment.ts';
import { encryptedHlsSizeBytes, encryptHlsSegment } from '../../media/drm/signalling/hls-aes128.ts';
import {
  findSegment,
  type IndexedPeriod,
  type IndexedRendition,
  type IndexedSegment,
} from '../../media/live/playlist/live-index.ts';
import { storageKey } from '../../ports/storage.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import {
  encryptBytes,
  type OpenProtection,
  openProtection,
  type Piece,
  type ProtectionDeps,
} from '../drm/encrypt-bytes.ts';
import { nameOf } from '../drm/package-keys.ts';
import { type Answer, CACHE_FOR_EVER, CACHE_PRIVATELY, notFound, unavailable } from '../http/answer.ts';
import type { WatchedStream } from './watched-stream.ts';

/** An init segment, a segment or a part, with the protection that its URL specifies. */
export type LiveMediaFile = { renditionId: Guid; protection: NamedProtection } & (
  | { kind: 'init' }
  | { kind: 'segment'; segment: number }
  | { kind: 'part'; segment: number; part: number }
);

export type LiveMediaDeps = ProtectionDeps & { written: HeldCache<Buffer> };

type Requested = { publication: Publication; file: LiveMediaFile; leave: () => AbortSignal };

/** A piece to deliver and its position, from which its encryption is derived. */
type Found = {
  period: IndexedPeriod;
  rendition: IndexedRendition;
  name: string;
  segment: number;
  firstSample: number;
  bytes: Buffer;
};

/** Maximum wait for a part announced by a preload hint, in ms. */
const PART_WAIT_MS = 4_000;
const SEGMENT_WAIT_MS = 9_000;

/** Serves media of a live stream, encrypted as its URL specifies. */
export async function serveLiveMedia(
  stream: WatchedStream,
  requested: Requested,
  deps: LiveMediaDeps,
): Promise<Answer> {
  const { publication, file } = requested;
  const protection = openProtection(publication, file.protection, deps.sessions);
  if ('refusal' in protection) return protection.refusal;
  const found = stream.index.findRendition(file.renditionId);
  if (found === null || found.rendition.init.length === 0) {
    return notFound('unknown-rendition');
  }
  const { open } = protection;
  switch (file.kind) {
    case 'init': {
      const piece: Piece = { kind: 'init', bytes: found.rendition.init };
      if (open.kind === 'clear') return media(found.rendition, 'init', piece.bytes);
      return encryptBytes({ publication, rendition: found.rendition, piece, protection: open }, deps, requested.leave);
    }
    case 'segment':
      return serveSegment(stream, { ...found, number: file.segment }, { ...requested, open }, deps);
    case 'part':
      return servePart(stream, { ...found, number: file.segment, part: file.part }, { ...requested, open }, deps);
  }
}

type Opened = Requested & { open: OpenProtection };

async function serveSegment(
  stream: WatchedStream,
  { period, rendition, number }: { period: IndexedPeriod; rendition: IndexedRendition; number: number },
  { publication, open, leave }: Opened,
  deps: LiveMediaDeps,
): Promise<Answer> {
  const find = () => {
    const found = findSegment(rendition.segments, number);
    return found !== null && (found.isClosed || stream.index.hasEnded) && !found.isGap ? found : undefined;
  };
  // There is no need to wait for media that is marked as a gap, or for any media after the end of the stream.
  const isDecided = () =>
    find() !== undefined || findSegment(rendition.segments, number)?.isGap === true || stream.index.hasEnded;
  const last = rendition.segments.at(-1);
  const isNext = last !== undefined && number >= last.number && number <= last.number + 1;
  if (isNext && !isDecided()) await stream.until(isDecided, SEGMENT_WAIT_MS, leave());
  const segment = find();
  if (segment === undefined) return notFound('unknown-segment');
  const bytes = bytesOf(segment);
  const place = { period, rendition, name: `${number}`, segment: number, firstSample: 0 };
  if (bytes !== null) return give({ ...place, bytes }, { publication, open }, deps);
  if (segment.stored === null) return unavailable('The segment is being stored.');
  const { storageKey: key, sizeBytes } = segment.stored;
  const window = { key: storageKey(key), version: '', start: 0, sizeBytes };
  if (open.kind === 'clear') return { kind: 'object', window, ...described(rendition, `${number}`) };
  // The IV of a session's segment is its media sequence number.
  const sequence = open.kind === 'session' ? period.firstSequence + number : number;
  const piece: Piece = { kind: 'segment', window, segment: sequence };
  return encryptBytes({ publication, rendition, piece, protection: open }, deps, leave);
}

async function servePart(
  stream: WatchedStream,
  place: { period: IndexedPeriod; rendition: IndexedRendition; number: number; part: number },
  { publication, open, leave }: Opened,
  deps: LiveMediaDeps,
): Promise<Answer> {
  const { period, rendition, number, part } = place;
  if (open.kind === 'session') return notFound('unknown-part');
  const find = () => findSegment(rendition.segments, number)?.parts[part]?.bytes ?? null;
  const last = rendition.segments.at(-1);
  const isHinted = last !== undefined && (number === last.number || number === last.number + 1);
  const isDecided = () => find() !== null || isPassed(rendition, number) || stream.index.hasEnded;
  if (isHinted && !isDecided()) await stream.until(isDecided, PART_WAIT_MS, leave());
  const bytes = find();
  if (bytes === null) return notFound('unknown-part');
  const before = findSegment(rendition.segments, number)?.parts.slice(0, part) ?? [];
  const firstSample = before.reduce((sum, { samples }) => sum + samples, 0);
  const found = { period, rendition, name: `${number}.${part}`, segment: number, firstSample, bytes };
  return give(found, { publication, open }, deps);
}

/** Returns whether a segment is closed, so that no parts will be added to it. */
function isPassed({ segments }: IndexedRendition, number: number): boolean {
  return findSegment(segments, number)?.isClosed === true;
}

/** Returns the bytes of a segment if all its parts are in memory, or else null. */
function bytesOf({ parts }: IndexedSegment): Buffer | null {
  const pieces = parts.flatMap(({ bytes }) => (bytes === null ? [] : [bytes]));
  return pieces.length > 0 && pieces.length === parts.length ? Buffer.concat(pieces) : null;
}

/**
 * Returns the response with bytes in memory. Bytes encrypted for a package are the same for all viewers and are cached
 * for a while.
 */
async function give(
  { period, rendition, name, segment, firstSample, bytes }: Found,
  { publication, open }: { publication: Publication; open: OpenProtection },
  { keys, written }: LiveMediaDeps,
): Promise<Answer> {
  switch (open.kind) {
    case 'clear':
      return media(rendition, name, bytes);
    case 'package': {
      const track = { publication, packaged: open.packaged, rendition };
      const cipher = await keys.cipherOf(track);
      const tag = `${nameOf(track)}|${name}`;
      const encrypted = await written.get(`live|${tag}`, () => {
        const room = Buffer.concat([Buffer.alloc(HEADROOM_BYTES), bytes]);
        const steps = encryptSegment(
          { bytes: room, clearStart: HEADROOM_BYTES },
          { cipher, number: segment, firstSample },
        );
        return Buffer.from(runSteps(steps));
      });
      return { ...media(rendition, name, encrypted), etag: `"${tag}"` };
    }
    case 'session': {
      const room = Buffer.concat([bytes, Buffer.alloc(encryptedHlsSizeBytes(bytes.length) - bytes.length)]);
      const steps = encryptHlsSegment(
        { room, clearBytes: bytes.length },
        openAes('cbc', open.key),
        period.firstSequence + segment,
      );
      const etag = `"${rendition.id}-${open.session}-${segment}"`;
      return { ...media(rendition, name, runSteps(steps)), cacheControl: CACHE_PRIVATELY, etag };
    }
  }
}

/** Runs all steps of an encryption without yielding. A part, or a segment of a few seconds, takes milliseconds. */
function runSteps(steps: Generator<undefined, Buffer>): Buffer {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

function media(rendition: IndexedRendition, name: string, bytes: Buffer): Extract<Answer, { kind: 'bytes' }> {
  return { kind: 'bytes', bytes, ...described(rendition, name) };
}

function described({ id, kind }: IndexedRendition, name: string) {
  return { contentType: `${kind}/mp4`, cacheControl: CACHE_FOR_EVER, etag: `"${id}-${name}"` };
}
