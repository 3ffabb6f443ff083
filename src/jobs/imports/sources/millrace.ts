import { readImportedOrder } from '../../../catalog/collections/video-order.ts';
import type { ListedItem } from '../../../catalog/imports/listed-item.ts';
import { originOf } from '../../../catalog/imports/sidecars.ts';
import type { ImportSource, Located, LocatedFiles, SourceRequest } from '../import-source.ts';
import type { SourceClient } from '../source-client.ts';
import { createStreamSource, readStreamSettings } from './bunny.ts';
import { commentDetails, fieldsOf, listOf, momentOf } from './read-fields.ts';

/** Number of orders that are read at once. */
const PARALLEL_READS = 8;
const stream = createStreamSource('millrace');

/**
 * A library of another Millrace, which has the same interface as bunny Stream, and in addition orders of collections,
 * review comments, chosen frames and origins of captions. Older versions do not have these.
 */
export const millrace: ImportSource = {
  ...stream,
  async readSettings(request, client, signal) {
    const { accountKey, apiUrl, libraryId } = request;
    const found = await readStreamSettings(request, client, signal);
    if (found === null || accountKey === null) return found;
    const url = `${apiUrl}/library/${libraryId}/settings`;
    const settings = await client.findJson({ url, headers: { AccessKey: accountKey } }, signal);
    return settings === null ? found : { ...found, settings: fieldsOf(settings), listsUnknown: true };
  },
  async list(request, listing, signal) {
    const { items, next } = await stream.list(request, listing, signal);
    const ordered: ListedItem[] = [];
    for (let start = 0; start < items.length; start += PARALLEL_READS) {
      const some = items.slice(start, start + PARALLEL_READS);
      ordered.push(
        ...(await Promise.all(some.map((item) => addOrder(item, { request, client: listing.client }, signal)))),
      );
    }
    return { items: ordered, next };
  },
  async locate(request, { item, client }, signal) {
    const located = await stream.locate(request, { item, client }, signal);
    // A video has at most 1,000 comments, which are one page.
    const path = `videos/${item.sourceId}/comments?itemsPerPage=1000`;
    const page = fieldsOf(await read(path, { request, client }, signal));
    const { details, notes } = commentDetails(listOf(page.items));
    const { thumbnailTime, generatedCaptions } = fieldsOf(
      await read(`videos/${item.sourceId}/extras`, { request, client }, signal),
    );
    const tracks = listOf(generatedCaptions).map((track) => ({ ...track, origin: 'speech' }));
    const captions = located.captions.map((one) => ({ ...one, ...originOf({ captions: tracks }, one.srclang) }));
    const thumbnailTimeMs = momentOf(thumbnailTime);
    const all = [...(located.notes ?? []), ...notes];
    return {
      ...located,
      files: [...originalOf(request, item), ...located.files],
      captions,
      details: { ...located.details, ...details, thumbnailTimeMs },
      notes: all,
    };
  },
};

/** The pull zone offers the original only if the library exposes it. A key with write access may always read it. */
function originalOf(
  { apiUrl, libraryId, accessKey }: SourceRequest,
  { sourceId: id, video }: Located,
): LocatedFiles['files'] {
  if (!video.files.some(({ kind }) => kind === 'original')) return [];
  const url = `${apiUrl}/library/${libraryId}/videos/${id}/original`;
  return [{ kind: 'original', url, headers: { AccessKey: accessKey ?? '' } }];
}

type At = { request: SourceRequest; client: SourceClient };

async function addOrder(item: ListedItem, at: At, signal: AbortSignal): Promise<ListedItem> {
  if (item.kind !== 'collection') return item;
  const { order, videos } = fieldsOf(await read(`collections/${item.id}/order`, at, signal));
  // Videos of other orders follow from their dates or titles.
  const videoIds = order === 'manual' ? listOf(videos).map(({ guid }) => guid) : [];
  return { ...item, order: readImportedOrder({ videoOrder: order, videoIds }) };
}

/** Returns null if the source has no such operation. */
function read(path: string, { request, client }: At, signal: AbortSignal): Promise<unknown> {
  const url = `${request.apiUrl}/library/${request.libraryId}/${path}`;
  return client.findJson({ url, headers: { AccessKey: request.accessKey ?? '' } }, signal);
}
