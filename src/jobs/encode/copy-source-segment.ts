import { findSourceChunk } from '../../catalog/compose/composition-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { BrokenMedia } from '../../media/bmff/broken-media.ts';
import { segmentRanges } from '../../media/cmaf/chunk.ts';
import type { FragmentEntry } from '../../media/cmaf/fragment-table.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { copySegment, type SegmentTiming } from '../../media/compose/copy-segment.ts';
import type { JobDeps } from '../job-deps.ts';

type Wanted = { source: Guid | null; segment: number; timing: SegmentTiming };

/** Reads a segment of another video's rendition and converts it to a segment of the new timeline. */
export async function copySourceSegment(
  { source, segment, timing }: Wanted,
  deps: Pick<JobDeps, 'db' | 'storage'>,
  signal: AbortSignal,
): Promise<Segment> {
  if (source === null) throw new Error(`Expected segment ${timing.number} to have a source, got none.`);
  const found = await readSourceSegment(source, segment, deps, signal);
  if (found === null) throw sourceGone(source);
  return copySegment(found.bytes, found.fragments, timing);
}

/** Returns the error for a source rendition that was deleted during the copy. */
export function sourceGone(renditionId: Guid): Refused {
  const cause = new Error(`Rendition ${renditionId} no longer exists.`);
  const message = 'A video that this video uses was changed or deleted. Create this video again.';
  return new Refused('invalid', message, { cause });
}

/**
 * Runs `copy`, which reads stored segments of a video. If they are damaged or missing, throws `Refused` (`invalid`)
 * with advice for owners of videos.
 */
export async function copyingFrom<T>(mediaId: Guid, copy: () => Promise<T>): Promise<T> {
  try {
    return await copy();
  } catch (cause) {
    const isMissing = cause instanceof Refused && cause.kind === 'not-found';
    if (!isMissing && !(cause instanceof BrokenMedia)) throw cause;
    const state = isMissing ? 'missing' : 'damaged';
    const what = `The stored media of video ${mediaId}, which this video uses, is ${state}.`;
    throw new Refused('invalid', `${what} Re-encode that video or upload it again, then create this one again.`, {
      cause,
    });
  }
}

/** Returns the bytes of a stored segment, or null if there is no segment with this number. */
export async function readSourceSegment(
  renditionId: Guid,
  segment: number,
  { db, storage }: Pick<JobDeps, 'db' | 'storage'>,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; fragments: readonly FragmentEntry[] } | null> {
  const chunk = await findSourceChunk(db, renditionId, segment);
  const range = chunk === null ? undefined : segmentRanges(chunk)[segment - chunk.firstSegment];
  if (chunk === null || range === undefined) return null;
  const bytes = await storage.readBytes(chunk.storageKey, { start: range.startByte, end: range.endByte }, signal);
  return { bytes, fragments: range.fragments };
}
