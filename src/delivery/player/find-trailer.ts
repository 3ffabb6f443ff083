import { isBeforeStart } from '../../catalog/live/live-stream.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import { Refused } from '../../lib/refused.ts';
import type { PublicationReader } from '../publication-reader.ts';
import type { EdgeRequest, ReceiveDeps } from '../receive/receive.ts';
import { embedQueryFor, folderTokenFor, type PageToken } from '../shield/sign-for-viewer.ts';
import { streamOf } from './describe-stream.ts';
import type { Trailer } from './describe-video.ts';

type TrailerDeps = { reader: PublicationReader; budgets: ReceiveDeps['budgets'] };

/**
 * Returns the video shown until a stream begins. Returns null if there is none, it was deleted, it is a live stream, or
 * it is private and the stream is not. Also returns null if the lookup is unavailable, because the stream's page works
 * without a trailer.
 */
export async function findTrailer(
  publication: Publication | null,
  { admitted, token }: { admitted: Admitted<EdgeRequest>; token: PageToken },
  { reader, budgets }: TrailerDeps,
): Promise<Trailer | null> {
  const stream = publication === null ? null : streamOf(publication);
  if (publication === null || stream === null || stream.trailerId === null || !isBeforeStart(stream)) return null;
  const { libraryId } = publication;
  const found = reader.find(admitted, { libraryId, mediaId: stream.trailerId }, budgets).catch((error: unknown) => {
    // The reader has logged the cause.
    if (error instanceof Refused && error.kind === 'unavailable') return null;
    throw error;
  });
  const trailer = await found;
  if (trailer === null || streamOf(trailer) !== null) return null;
  // The token of a viewer of a private stream is the owner's permission.
  if (trailer.visibility === 'private' && publication.visibility !== 'private') return null;
  const [folderToken, query] = [
    folderTokenFor(trailer, admitted, token),
    embedQueryFor(trailer, admitted, token.shown),
  ];
  return { publication: trailer, folderToken, query };
}
