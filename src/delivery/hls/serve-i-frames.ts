import type { Publication, StoredChunk } from '../../catalog/publications/publication.ts';
import type { NamedProtection } from '../../catalog/shield/admission/edge-path.ts';
import type { Guid } from '../../lib/guid.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import { type IFrame, writeIFrameHead } from '../../media/hls/i-frame.ts';
import { locateSample } from '../../media/presentation/published-rendition.ts';
import {
  encryptBytes,
  isOpened,
  type OpenProtection,
  openProtection,
  type Piece,
  type ProtectionDeps,
} from '../drm/encrypt-bytes.ts';
import type { OpenedRendition } from '../drm/package-keys.ts';
import { listableRenditions } from '../drm/protection.ts';
import { type Answer, CACHE_FOR_EVER, notFound } from '../http/answer.ts';
import type { ObjectPart, Part, Slice } from '../objects/object-part.ts';
import type { IFrameLists } from './i-frame-lists.ts';
import { CLEAR_VARIANT, type PlaylistVariant, packageVariant } from './playlist-variant.ts';

type IFrameFile = ({ kind: 'i-frame-playlist' } | { kind: 'i-frame'; startTick: number }) & {
  renditionId: Guid;
  protection: NamedProtection;
};
type IFrameDeps = ProtectionDeps & { iFrames: IFrameLists; leave: () => AbortSignal };

/**
 * Serves the I-frame playlist of a finished rendition, or one of its I-frames as a segment, encrypted as its URL
 * specifies.
 */
export async function serveIFrames(publication: Publication, file: IFrameFile, deps: IFrameDeps): Promise<Answer> {
  const rendition = listableRenditions(publication).find(({ id }) => id === file.renditionId);
  if (rendition === undefined || !isOpened(rendition) || !hasIFrames(rendition)) return noIFrames();
  const opened = openProtection(publication, file.protection, deps.sessions);
  if ('refusal' in opened) return opened.refusal;
  const protection = opened.open;
  if (file.kind === 'i-frame-playlist') return servePictureList(publication, { rendition, protection }, deps);
  const found = await deps.iFrames.find(rendition, file.startTick);
  if (found === null) return notFound('unknown-i-frame');
  if (protection.kind === 'clear') return answerPicture(rendition, found);
  return encryptBytes(
    { publication, rendition, protection, piece: describePicture(rendition, found) },
    deps,
    deps.leave,
  );
}

function hasIFrames({ kind, state, chunks }: OpenedRendition): boolean {
  return kind === 'video' && state === 'finished' && chunks[0]?.firstSegment === 0;
}

async function servePictureList(
  publication: Publication,
  { rendition, protection }: { rendition: OpenedRendition; protection: OpenProtection },
  { iFrames, keys }: IFrameDeps,
): Promise<Answer> {
  const variant = await variantOf(publication, protection, keys);
  if (variant === null) return noIFrames();
  const { text } = await iFrames.list(rendition, variant.keys(rendition, '../../../'));
  return {
    kind: 'bytes',
    bytes: text,
    contentType: 'application/vnd.apple.mpegurl',
    cacheControl: CACHE_FOR_EVER,
    etag: `"${rendition.id}-i-frames${variant.tag}"`,
  };
}

/** Returns the playlist variant for a protection, or null if it has no I-frame playlist. */
async function variantOf(
  publication: Publication,
  protection: OpenProtection,
  keys: ProtectionDeps['keys'],
): Promise<PlaylistVariant | null> {
  if (protection.kind === 'clear') return CLEAR_VARIANT;
  if (protection.kind === 'session') return null;
  return packageVariant(protection.packaged, await keys.keysOf(publication, protection.packaged));
}

type FoundPicture = { chunk: StoredChunk; frame: IFrame };

/**
 * Describes an I-frame for encryption. It is encrypted like its sample in the segment, with the same initialisation
 * vector.
 */
function describePicture({ init }: OpenedRendition, { chunk, frame }: FoundPicture): Piece {
  const { segment, firstSample } = locateSample(chunk, frame.sample);
  const sizeBytes = frame.endByte - frame.startByte + 1;
  return {
    kind: 'picture',
    name: `i${frame.startTick}`,
    window: { key: chunk.storageKey, version: '', start: frame.startByte, sizeBytes },
    head: headOf(init, frame),
    segment,
    firstSample: frame.sample - firstSample,
  };
}

/** Serves a clear I-frame: a separate fragment header, then the bytes of its sample. */
export function answerPicture(
  { id, init }: Pick<OpenedRendition, 'id' | 'init'>,
  { chunk, frame }: { chunk: Pick<StoredChunk, 'storageKey'>; frame: IFrame },
): Answer {
  const head = headOf(init, frame);
  return {
    kind: 'parts',
    sizeBytes: head.length + frame.endByte - frame.startByte + 1,
    cut: (slice) => cutPicture(head, { key: chunk.storageKey, start: frame.startByte }, slice),
    contentType: 'video/mp4',
    cacheControl: CACHE_FOR_EVER,
    etag: `"${id}-i${frame.startTick}"`,
  };
}

function headOf(init: Buffer, frame: IFrame): Buffer {
  return writeIFrameHead(frame, readInitSegment(init).delayTicks);
}

function cutPicture(head: Buffer, { key, start }: Omit<ObjectPart, 'end'>, slice: Slice): Part[] {
  const parts: Part[] = [];
  if (slice.start < head.length) parts.push({ bytes: head.subarray(slice.start, slice.end) });
  const shift = start - head.length;
  if (slice.end > head.length) {
    parts.push({ key, start: shift + Math.max(slice.start, head.length), end: shift + slice.end });
  }
  return parts;
}

function noIFrames(): Answer {
  return notFound('no-i-frames');
}
