import type { Publication, StoredChunk, StoredRendition } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import { type IFrame, iFrameSizeBytes, writeIFrameHead } from '../../media/i-frames/i-frame.ts';
import { type Answer, CACHE_FOR_EVER, notFound, type ObjectPart, type Part } from '../http/answer.ts';
import type { Slice } from '../http/range.ts';
import type { IFrameLists } from './i-frame-lists.ts';

type IFrameFile =
  | { kind: 'i-frame-playlist'; renditionId: Guid }
  | { kind: 'i-frame'; renditionId: Guid; startTick: number };

/** Answers the I-frame playlist of a finished rendition in the clear, or one picture of it as a segment. */
export async function serveIFrames(publication: Publication, file: IFrameFile, iFrames: IFrameLists): Promise<Answer> {
  const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
  if (rendition === undefined || !hasIFrames(publication, rendition)) {
    return notFound('no-i-frames', 'There are no single pictures of this rendition.');
  }
  if (file.kind === 'i-frame-playlist') {
    const { text } = await iFrames.list(rendition);
    return {
      kind: 'bytes',
      bytes: text,
      contentType: 'application/vnd.apple.mpegurl',
      cacheControl: CACHE_FOR_EVER,
      etag: `"${rendition.id}-i-frames"`,
    };
  }
  const found = await iFrames.find(rendition, file.startTick);
  if (found === null) return notFound('unknown-i-frame', 'No picture starts there.');
  return picture(rendition, found);
}

function hasIFrames({ settings }: Publication, { kind, state, chunks }: StoredRendition): boolean {
  return kind === 'video' && state === 'finished' && chunks[0]?.firstSegment === 0 && !settings.isProtected;
}

function picture({ id }: StoredRendition, { chunk, frame }: { chunk: StoredChunk; frame: IFrame }): Answer {
  return {
    kind: 'parts',
    sizeBytes: iFrameSizeBytes(frame),
    cut: (slice) => cutPicture(writeIFrameHead(frame), { key: chunk.storageKey, start: frame.startByte }, slice),
    contentType: 'video/mp4',
    cacheControl: CACHE_FOR_EVER,
    etag: `"${id}-i${frame.startTick}"`,
  };
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
