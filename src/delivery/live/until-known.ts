import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import type { PublicationReader } from '../publication-reader.ts';
import type { WatchedStream } from './watched-stream.ts';

export type UntilKnownDeps = { reader: Pick<PublicationReader, 'waitFor'> };
type Requested = { publication: Publication; head: LiveHead; leave: () => AbortSignal };

/**
 * Maximum delay in ms until a rendition that one edge lists is known to the others, even if a notification is lost.
 * After that time, a request for an unknown rendition gets 404.
 */
const ANNOUNCE_LIMIT_MS = 3_000;

/**
 * Waits for a rendition that this edge does not know. A viewer may have its URL from another edge, which got it earlier
 * from the stream's process, or which already knows the stream's next process.
 */
export async function untilKnown(
  stream: WatchedStream,
  renditionId: Guid,
  { publication, head, leave }: Requested,
  { reader }: UntilKnownDeps,
): Promise<void> {
  const isKnown = () => stream.index.findRendition(renditionId) !== null;
  if (isKnown() || stream.index.hasEnded || head.state === 'ended' || head.state === 'vod-processing') return;
  const over = new AbortController();
  const signal = AbortSignal.any([leave(), over.signal]);
  const announced = stream.until(isKnown, ANNOUNCE_LIMIT_MS, signal).finally(() => over.abort());
  const followed = reader.waitFor(
    publication,
    ({ live }) => {
      if (live !== undefined) stream.update(live);
      return isKnown() ? true : null;
    },
    signal,
  );
  await Promise.all([announced, followed]);
}
