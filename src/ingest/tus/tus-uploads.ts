import type { MediaKey } from '../../catalog/db.ts';
import { createLibraryStore, type LibraryStore } from '../../catalog/libraries/library-store.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import {
  findTus,
  hasCollection,
  openingTus,
  putOffExpiry,
  settingThumbnailTime,
  type TusUpload,
} from '../../catalog/uploads/tus-upload-store.ts';
import { readUploadMetadata } from '../../catalog/uploads/upload-options.ts';
import { beginUpload, type VideoEdit } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { type CompleteUploadDeps, completeUpload } from '../../jobs/uploads/complete-upload.ts';
import { dropUpload } from '../../jobs/uploads/drop-upload.ts';
import { newGuid, parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { TusCreation } from './headers.ts';
import type { TusUploads } from './tus-handler.ts';

const REMEMBERED_KEYS = 1_000;
const REMEMBERED_MS = 1_000;

/** Putting off the expiry costs a write; within this much of the last time it is left alone. */
const EXPIRY_SLACK_MS = 3_600_000;
const EXPIRY_MS = 24 * 3_600_000;
/** As in the interface; metadata is cut, as an upload is not given up for its title. */
const LONGEST_TITLE = 1_000;
const INT32_MAX = 2 ** 31 - 1;

type Deps = CompleteUploadDeps & { secretBox: SecretBox };

/** Resumable uploads over the catalogue, the staging and the queue. */
export function createTusUploads(deps: Deps): TusUploads {
  const { db, storage } = deps;
  const videos = createVideoStore(db);
  return {
    libraryKey: rememberKeys(createLibraryStore(deps)),
    async open(key, creation) {
      const ref = { id: newGuid(), key };
      const edit = await readEdit(key, creation, deps);
      const uploadOptions = readUploadMetadata(creation.metadata);
      const timeMs = readTimeMs(creation.metadata.thumbnailtime);
      await videos.change(
        key,
        (video) => beginUpload(video, { ...edit, uploadOptions }),
        openingTus(ref, creation.lengthBytes),
        ...(timeMs === null ? [] : [settingThumbnailTime(key, timeMs)]),
      );
      const upload = await findTus(db, ref.id);
      if (upload === null) throw new Refused('not-found', `Video ${key.mediaId} was deleted meanwhile.`);
      return upload;
    },
    find: (id) => findTus(db, id),
    async keep({ id, expiresAt }) {
      return expiresAt.getTime() - Date.now() > EXPIRY_MS - EXPIRY_SLACK_MS ? expiresAt : putOffExpiry(db, id);
    },
    size: (upload) => arrivedBytes(upload, deps),
    complete: (upload, sha256, signal) => completeUpload({ ...upload, sha256 }, deps, signal),
    drop: (upload) => dropUpload(upload, { db, storage }),
  };
}

/** The staged bytes; after a crash between their commit and its row they are an object, and none is staged. */
async function arrivedBytes({ id, key, lengthBytes }: TusUpload, { storage }: Deps): Promise<number> {
  const stagedBytes = await storage.staging.size(id);
  if (stagedBytes > 0) return stagedBytes;
  const object = await storage.head(sourceKeyOf(key, id));
  return object?.sizeBytes === lengthBytes ? lengthBytes : 0;
}

/**
 * What the metadata says of the video. Clients send the video's GUID, or nothing, as title and "undefined" as
 * collection; only a collection of this library counts.
 */
async function readEdit({ libraryId, mediaId }: MediaKey, { metadata }: TusCreation, { db }: Deps): Promise<VideoEdit> {
  const title = (metadata.title ?? '').trim().slice(0, LONGEST_TITLE).toWellFormed();
  const isTitle = title !== '' && title.toLowerCase() !== mediaId;
  const collectionId = parseGuid(metadata.collection ?? '');
  const isCollection = collectionId !== null && (await hasCollection(db, libraryId, collectionId));
  return { ...(isTitle && { title }), ...(isCollection && { collectionId }) };
}

function readTimeMs(text: string | undefined): number | null {
  const timeMs = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return timeMs <= INT32_MAX ? timeMs : null;
}

/** Every request is signed with the library's key, so it is kept in the clear for a second. */
function rememberKeys(libraries: LibraryStore): (libraryId: number) => Promise<string | null> {
  const remembered = new Map<number, { key: string | null; until: number }>();
  return async (libraryId) => {
    const known = remembered.get(libraryId);
    if (known !== undefined && known.until > Date.now()) return known.key;
    remembered.delete(libraryId);
    const key = await readKey(libraries, libraryId);
    const oldest = remembered.keys().next();
    if (remembered.size >= REMEMBERED_KEYS && !oldest.done) remembered.delete(oldest.value);
    remembered.set(libraryId, { key, until: Date.now() + REMEMBERED_MS });
    return key;
  };
}

async function readKey(libraries: LibraryStore, libraryId: number): Promise<string | null> {
  try {
    return (await libraries.keys(libraryId)).libraryKey;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'not-found') return null;
    throw error;
  }
}
