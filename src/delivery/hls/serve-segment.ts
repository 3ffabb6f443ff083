import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import { findChunk, segmentBytes, segmentCount } from '../../media/playlists/published-rendition.ts';
import { type Answer, CACHE_FOR_EVER, notFound, unavailable } from '../http/answer.ts';
import type { SegmentWishes, WishedSegment } from '../jit/segment-wishes.ts';
import type { PublicationReader } from '../publication-reader.ts';

const RETRY_AFTER_SEC = 2;

type SegmentFile = { kind: 'init'; renditionId: Guid } | { kind: 'segment'; renditionId: Guid; segment: number };

/**
 * Answers an init or media segment. One that a playlist lists before it is stored is waited for, on demand wished
 * for, and refused with 503 when it does not come in time.
 */
export async function serveSegment(
  publication: Publication,
  file: SegmentFile,
  { reader, wishes, leave }: { reader: PublicationReader; wishes: SegmentWishes; leave: () => AbortSignal },
): Promise<Answer> {
  const find = (current: Publication) => findFile(current, file);
  const found = find(publication);
  const wanted = found?.kind === 'problem' ? null : findOnDemand(publication, file);
  if (found !== null) {
    if (wanted !== null) wishes.pass(wanted);
    return found;
  }
  const signal = leave();
  const release = wanted === null ? null : wishes.want(wanted);
  try {
    const made = await reader.waitFor(publication, find, signal);
    return made ?? unavailable('The segment is still being made.', RETRY_AFTER_SEC);
  } finally {
    release?.(!signal.aborted);
  }
}

/** The segment, when it is one of those that are encoded on demand. */
function findOnDemand(publication: Publication, file: SegmentFile): WishedSegment | null {
  if (file.kind !== 'segment') return null;
  const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
  if (rendition === undefined || !rendition.isOnDemand || rendition.state !== 'building') return null;
  return { publication, rendition, segment: file.segment };
}

/** The answer as of a publication; null when the file is listed and not stored yet. */
function findFile(publication: Publication, file: SegmentFile): Answer | null {
  const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
  if (rendition === undefined) return notFound('unknown-rendition', 'There is no such rendition.');
  if (file.kind === 'init') return findInit(rendition);
  const chunk = findChunk(rendition.chunks, file.segment);
  if (chunk === null) {
    const isListed = rendition.planned !== null && file.segment < segmentCount(rendition.planned);
    return isListed ? null : notFound('unknown-segment', 'There is no such segment.');
  }
  const index = file.segment - chunk.firstSegment;
  const start = chunk.table.offsets[index] ?? 0;
  const sizeBytes = segmentBytes(chunk.table, index);
  return {
    kind: 'object',
    window: { key: chunk.storageKey, version: '', start, sizeBytes },
    ...described(rendition, `${file.segment}`),
  };
}

function findInit(rendition: StoredRendition): Answer | null {
  if (rendition.init !== null) return { kind: 'bytes', bytes: rendition.init, ...described(rendition, 'init') };
  return rendition.planned === null ? notFound('not-playable', 'The rendition has no first segment yet.') : null;
}

/** A rendition's id stands for its bytes for ever, so the tag needs nothing else. */
function described({ id, kind }: StoredRendition, name: string) {
  return { contentType: `${kind}/mp4`, cacheControl: CACHE_FOR_EVER, etag: `"${id}-${name}"` };
}
