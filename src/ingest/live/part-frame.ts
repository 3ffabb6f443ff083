import type { Guid } from '../../lib/guid.ts';
import type { LivePart } from '../../media/live/packaging/part-writer.ts';
import { writeFeedFrame } from '../../media/live/playlist/feed-message.ts';

/**
 * Returns a part as a feed frame. `isLast` tells edges that the segment is complete, so that their playlists announce
 * no further part of it. `mayBeLast` has the same effect on the announcement only.
 */
export function partFrame(
  renditionId: Guid,
  { segment, part, fragment, durationTicks, isIndependent, mayBeLast }: LivePart,
  isLast = false,
): Buffer[] {
  const startTick = fragment.baseTick;
  const samples = fragment.samples.length;
  const message = {
    type: 'part',
    renditionId,
    segment,
    part,
    startTick,
    durationTicks,
    samples,
    isIndependent,
    ...(isLast && { isLast }),
    ...(mayBeLast && { mayBeLast }),
  } as const;
  return writeFeedFrame(message, fragment.head, fragment.payload);
}
