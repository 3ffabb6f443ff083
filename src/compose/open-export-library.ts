import { Readable } from 'node:stream';
import { toCommentModel } from '../api/comments/comment-operations.ts';
import { toVideoExtrasModel } from '../api/exports/get-video-extras.ts';
import { exportSettings } from '../api/read-portable-settings.ts';
import { showVideo } from '../api/videos/video-model.ts';
import { createCollectionStore } from '../catalog/collections/collection-store.ts';
import { createVideoOrderStore } from '../catalog/collections/video-order-store.ts';
import { MAX_COMMENTS } from '../catalog/comments/comment.ts';
import { createCommentStore } from '../catalog/comments/comment-store.ts';
import type { Db, MediaKey } from '../catalog/db.ts';
import { loadVideoExtras } from '../catalog/exports/video-extras-store.ts';
import { createFeedStore } from '../catalog/feeds/feed-store.ts';
import { createLibraryStore } from '../catalog/libraries/library-store.ts';
import { createPublicationStore } from '../catalog/publications/publication-store.ts';
import { loadZonePolicy } from '../catalog/pull-zones/zone-policy-store.ts';
import { createQuotaStore } from '../catalog/quotas/quota-store.ts';
import { createStatisticsStore } from '../catalog/statistics/reports/statistics-store.ts';
import { rangeOf } from '../catalog/statistics/sums/statistics-range.ts';
import type { VideoView } from '../catalog/videos/video-view.ts';
import { selectViewOf } from '../catalog/videos/view-columns-store.ts';
import { createEndpointStore } from '../catalog/webhooks/endpoint-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import { MoviePlans } from '../delivery/mp4/movie-plans.ts';
import { serveMp4 } from '../delivery/mp4/serve-mp4.ts';
import { IndexReader } from '../delivery/objects/index-reader.ts';
import type { ExportedCollection, ExportedFile } from '../jobs/exports/export-source.ts';
import type { ExportLibrary } from '../jobs/exports/exporter.ts';
import { type Guid, readGuid } from '../lib/guid.ts';
import { Refused } from '../lib/refused.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { Storage, StorageKey } from '../ports/storage.ts';
import { baseAddresses } from '../service/first-start.ts';

const PAGE_COLLECTIONS = 1000;
/** Maximum size of the plans of MP4 files that are kept in memory, in bytes. */
const PLAN_BYTES = 32 * 2 ** 20;
/** Maximum time to read the images of a library, in ms. */
const SETTINGS_LIMIT_MS = 60_000;
/** Times are the same for each caller, because an exported URL is for nobody. */
const NO_ADDRESS = '';
/** The reader of the comments, who wrote none of them. */
const NOBODY = { kind: 'guest', id: '', name: '' } as const;

type Deps = { db: Db; secretBox: SecretBox; storage: Storage; settings: RoleSettings };

/** Opens a library for an export: its videos as the API shows them, and their files from the storage. */
export function openExportLibrary(libraryId: number, { db, secretBox, storage, settings }: Deps): ExportLibrary {
  const edgeUrl = baseAddresses(settings, { edge: settings.edgePort }).edgeUrl;
  const libraries = createLibraryStore({ db, secretBox });
  const showing = {
    libraries,
    edgeUrl,
    loadPolicy: (ref: Parameters<typeof loadZonePolicy>[1]) => loadZonePolicy({ db, secretBox }, ref),
  };
  const portable = {
    libraries,
    storage,
    quotas: createQuotaStore(db),
    webhookEndpoints: createEndpointStore({ db, secretBox }),
    feeds: createFeedStore({ db, secretBox }),
  };
  const openMovie = createMovieReader(db, storage);
  return {
    async video(mediaId) {
      const view = await selectViewOf(db, { libraryId, mediaId });
      return view === undefined ? null : await showVideo(view, NO_ADDRESS, showing);
    },
    collections: () => listCollections(db, libraryId),
    async comments(guid) {
      const key = { libraryId, mediaId: requireId(guid) };
      const { threads } = await createCommentStore(db).list(key, { state: 'all', offset: 0, limit: MAX_COMMENTS });
      return threads.map((thread) => toCommentModel(thread, NOBODY));
    },
    async extras(guid) {
      return toVideoExtrasModel(await loadVideoExtras(db, { libraryId, mediaId: requireId(guid) }));
    },
    settings: () => exportSettings(libraryId, portable, AbortSignal.timeout(SETTINGS_LIMIT_MS)),
    statistics: () => createStatisticsStore(db).load({ libraryId, mediaId: null }, wholeRange()),
    async read(id, file, fromByte, signal) {
      const key = { libraryId, mediaId: requireId(id) };
      if (file.kind === 'mp4' || file.kind === 'audio') {
        const heightPx = file.kind === 'mp4' ? file.heightPx : null;
        return await openMovie(key, { heightPx, fromByte }, signal);
      }
      const view = await selectViewOf(db, key);
      const object = view === undefined ? null : objectOf(view, file);
      if (object === null) throw missing(key, file.kind);
      return (await storage.read(object, { start: fromByte, end: Number.POSITIVE_INFINITY }, signal)).body;
    },
  };
}

function requireId(text: string): Guid {
  const id = readGuid(text);
  if (id === null) throw new Error(`Expected the GUID of a video, got ${text}.`);
  return id;
}

function wholeRange() {
  return rangeOf({ dateFrom: '2000-01-01', dateTo: '', hourly: false }, Date.now());
}

async function* listCollections(db: Db, libraryId: number): AsyncGenerator<ExportedCollection> {
  const [collections, orders] = [createCollectionStore(db), createVideoOrderStore(db)];
  for (let page = 1; ; page += 1) {
    const query = { libraryId, page, itemsPerPage: PAGE_COLLECTIONS, search: '', orderBy: 'date' } as const;
    const { items } = await collections.list(query);
    for (const { id, name } of items) {
      const found = await orders.find({ libraryId, collectionId: id }).catch((error: unknown) => {
        if (error instanceof Refused && error.kind === 'not-found') return null;
        throw error;
      });
      // The collection was deleted in the meantime.
      if (found === null) continue;
      const videoIds = found.order === 'manual' ? found.videos.map(({ mediaId }) => mediaId) : [];
      yield { guid: id, name, videoOrder: found.order, videoIds };
    }
    if (items.length < PAGE_COLLECTIONS) return;
  }
}

/** Returns the stored object of a file, or null if the video has no such file any more. */
function objectOf(view: VideoView, file: Exclude<ExportedFile, { kind: 'mp4' | 'audio' }>): StorageKey | null {
  switch (file.kind) {
    case 'original':
      return view.source_key;
    case 'captions':
      return view.captions.find(({ srclang }) => srclang === file.srclang)?.key ?? null;
    case 'thumbnail':
      return view.thumbnail_file_name === file.fileName ? view.thumbnail_key : null;
  }
}

function missing({ mediaId }: MediaKey, kind: ExportedFile['kind']): Refused {
  return new Refused('not-found', `The file (${kind}) of video ${mediaId} was removed during the export.`);
}

type Wanted = { heightPx: number | null; fromByte: number };

/** Assembles MP4 files as the edge does. */
function createMovieReader(db: Db, storage: Storage) {
  const publications = createPublicationStore(db);
  const plans = new MoviePlans(new IndexReader(storage), PLAN_BYTES);
  return async (key: MediaKey, { heightPx, fromByte }: Wanted, signal: AbortSignal): Promise<Readable> => {
    const publication = await publications.load(key, null);
    const movie = publication && (await serveMp4(publication, { heightPx, wantsDownload: false }, plans));
    if (movie?.kind !== 'parts') throw missing(key, heightPx === null ? 'audio' : 'mp4');
    const parts = movie.cut({ start: fromByte, end: movie.sizeBytes });
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const part of parts) {
        if ('bytes' in part) yield part.bytes;
        else yield* (await storage.read(part.key, { start: part.start, end: part.end - 1 }, signal)).body;
      }
    }
    return Readable.from(bytes(), { objectMode: false });
  };
}
