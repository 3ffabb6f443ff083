import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { createLibraryStore, type LibraryStore } from '../../catalog/libraries/library-store.ts';
import { reserveGrowing } from '../../catalog/quotas/storage-quota-store.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import {
  findFinal,
  findTus,
  hasCollection,
  openingFinal,
  openingTus,
  putOffExpiry,
  setLength,
  settingThumbnailTime,
  type TusUpload,
} from '../../catalog/uploads/tus-upload-store.ts';
import { readUploadMetadata } from '../../catalog/uploads/upload-options.ts';
import type { UploadRef } from '../../catalog/uploads/upload-store.ts';
import { beginUpload, type VideoEdit } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { readVisibility } from '../../catalog/visibility.ts';
import { type CompleteUploadDeps, completeUpload } from '../../jobs/uploads/complete-upload.ts';
import { dropUpload } from '../../jobs/uploads/drop-upload.ts';
import { joinParts } from '../../jobs/uploads/join-parts.ts';
import { noteRefusedUpload } from '../../jobs/uploads/note-refused-upload.ts';
import type { SpaceDeps } from '../../jobs/uploads/require-space.ts';
import { type Guid, newGuid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { readLine } from '../../lib/visible-text.ts';
import type { FinalCreation, OpenCreation } from './headers.ts';
import type { TusUploads } from './tus-exchange.ts';

const REMEMBERED_KEYS = 1_000;
const REMEMBERED_MS = 1_000;

/** Minimum interval in ms between extensions of the expiry, because each extension is a database write. */
const EXPIRY_SLACK_MS = 3_600_000;
const EXPIRY_MS = 24 * 3_600_000;
/**
 * Maximum number of characters of a title, as in the API. Longer titles are truncated, so that an upload does not fail
 * because of its title.
 */
const MAX_TITLE_CHARS = 1_000;
const INT32_MAX = 2 ** 31 - 1;

/** `maxBytes` is the maximum size of a file, including a file that is joined from parts. */
type Deps = CompleteUploadDeps & { secretBox: SecretBox; maxBytes: number; space: SpaceDeps };

/** Implements resumable uploads with the catalogue, the staging area and the queue. */
export function createTusUploads(deps: Deps): TusUploads {
  const { db, storage, maxBytes, space } = deps;
  const videos = createVideoStore(db);
  const begin = async (ref: UploadRef, creation: OpenCreation | FinalCreation, opening: FollowUp) => {
    const edit = await readEdit(ref.key, creation, deps);
    const uploadOptions = readUploadMetadata(creation.metadata);
    const timeMs = readTimeMs(creation.metadata.thumbnailtime);
    await videos.change(
      ref.key,
      (video) => beginUpload(video, { ...edit, uploadOptions }),
      opening,
      ...(timeMs === null ? [] : [settingThumbnailTime(ref.key, timeMs)]),
    );
  };
  const opened = async ({ id, key }: UploadRef) => {
    const upload = await findTus(db, id);
    if (upload === null)
      throw new Refused('not-found', `Video ${key.mediaId} has been deleted. Create another video and upload to it.`);
    return upload;
  };
  return {
    libraryKey: rememberKeys(createLibraryStore(deps)),
    async open(key, creation) {
      const ref = { id: newGuid(), key };
      const { kind, lengthBytes, metadataHeader } = creation;
      const opening = openingTus(ref, { kind, lengthBytes, metadata: metadataHeader, maxBytes });
      if (kind === 'partial') await videos.change(key, (video) => beginUpload(video, {}), opening);
      else await begin(ref, creation, opening);
      return await opened(ref);
    },
    async openFinal(key, creation, isSigned) {
      const { concat, partIds, metadataHeader } = creation;
      const before = await findFinal(db, key, concat);
      if (before !== null) return before;
      const ref = { id: newGuid(), key };
      try {
        const parts = await Promise.all(partIds.map((id) => findTus(db, id)));
        const lengthBytes = await joinedBytes(key, { partIds, parts, isSigned }, deps);
        if (lengthBytes > maxBytes) {
          throw new Refused(
            'too-large',
            `Expected parts of at most ${maxBytes} bytes together, got ${lengthBytes}. Send a smaller file.`,
          );
        }
        await begin(ref, creation, openingFinal(ref, { lengthBytes, metadata: metadataHeader, concat, partIds }));
      } catch (error) {
        // A repeat of the same request may have taken the parts: clients send it again when the response is lost.
        const other = error instanceof Refused ? await findFinal(db, key, concat) : null;
        if (other === null) throw error;
        return other;
      }
      return await opened(ref);
    },
    setLength: (upload, lengthBytes) => setLength(db, upload, { lengthBytes, maxBytes }),
    reserve: ({ id, key, reservedBytes }) =>
      reserveGrowing(db, { libraryId: key.libraryId, uploadId: id, before: reservedBytes }),
    findUpload: (id) => findTus(db, id),
    async keep({ id, expiresAt }) {
      return expiresAt.getTime() - Date.now() > EXPIRY_MS - EXPIRY_SLACK_MS ? expiresAt : putOffExpiry(db, id);
    },
    size: (upload) => arrivedBytes(upload, deps),
    join: (upload, signal) => joinParts(upload, { db, staging: storage.staging, space }, signal),
    complete: (upload, sha256, signal) => completeUpload({ ...upload, sha256 }, deps, signal),
    drop: (upload) => dropUpload(upload, { db, storage }),
    noteRefusal: (key, error) => noteRefusedUpload(key, error, { videos }),
  };
}

/**
 * Returns the number of bytes received so far. After a crash between storing the object and committing its row, staging
 * is empty and the object has all bytes.
 */
async function arrivedBytes({ id, key, lengthBytes }: TusUpload, { storage }: Deps): Promise<number> {
  const stagedBytes = await storage.staging.size(id);
  if (stagedBytes > 0) return stagedBytes;
  const object = await storage.head(sourceKeyOf(key, id));
  return object?.sizeBytes === lengthBytes ? lengthBytes : 0;
}

type Parts = { partIds: readonly Guid[]; parts: readonly (TusUpload | null)[]; isSigned(part: TusUpload): boolean };

/**
 * Returns the total bytes of all parts. Throws `Refused` if a part is unknown, belongs to another video, was opened too
 * late or is incomplete.
 */
async function joinedBytes(key: MediaKey, { partIds, parts, isSigned }: Parts, deps: Deps): Promise<number> {
  let lengthBytes = 0;
  for (const [index, part] of parts.entries()) {
    const isOwn = part?.key.libraryId === key.libraryId && part.key.mediaId === key.mediaId;
    if (part === null || !isOwn || part.kind !== 'partial') {
      throw new Refused(
        'not-found',
        `There is no partial upload ${partIds[index]} of this video, or it has expired. Upload the part again.`,
      );
    }
    if (!isSigned(part)) {
      throw new Refused(
        'unauthenticated',
        `The signature had expired before the partial upload ${part.id} was created. Sign again.`,
      );
    }
    const size = await arrivedBytes(part, deps);
    if (size !== part.lengthBytes) {
      throw new Refused(
        'invalid',
        `Expected the whole partial upload ${part.id}, got ${size} of ${part.lengthBytes ?? 'unknown'} bytes. ` +
          'Upload the rest of it first.',
      );
    }
    lengthBytes += size;
  }
  if (lengthBytes === 0)
    throw new Refused('invalid', 'Expected a file, got only empty parts. Send the bytes of the file.');
  return lengthBytes;
}

/**
 * Returns the changes to the video that the metadata requests. Ignores values that clients send by mistake: the video's
 * GUID or an empty title, and "undefined" as the collection. Also ignores a collection of another library.
 */
async function readEdit(
  { libraryId, mediaId }: MediaKey,
  { metadata }: Pick<OpenCreation, 'metadata'>,
  { db }: Deps,
): Promise<VideoEdit> {
  const title = readLine((metadata.title ?? '').trim().slice(0, MAX_TITLE_CHARS));
  const isTitle = title !== '' && title.toLowerCase() !== mediaId;
  const collectionId = readGuid(metadata.collection ?? '');
  const isCollection = collectionId !== null && (await hasCollection(db, libraryId, collectionId));
  return { ...(isTitle && { title }), ...(isCollection && { collectionId }), ...readMetadataVisibility(metadata) };
}

/** Other invalid metadata is ignored, but a misspelt visibility must not publish a video. */
function readMetadataVisibility({ visibility = '' }: OpenCreation['metadata']): Pick<VideoEdit, 'visibility'> {
  if (visibility === '') return {};
  const read = readVisibility(visibility);
  if (read !== null) return { visibility: read };
  const expected = 'public, unlisted or private as visibility';
  throw new Refused('invalid', `Expected ${expected}, got ${quote(visibility)}. Correct the metadata.`);
}

function readTimeMs(text: string | undefined): number | null {
  const timeMs = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return timeMs <= INT32_MAX ? timeMs : null;
}

/** Caches keys in plain text for a second, because every request is signed with the library's key. */
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
