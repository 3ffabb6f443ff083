import type { Publication } from '../../catalog/publications/publication.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { type Answer, CACHE_SHORTLY, notFound } from '../http/answer.ts';
import { ObjectMissing } from '../objects/object-missing.ts';

type FileRequest = { kind: 'captions'; language: string } | { kind: 'original' };

/** Serves files other than playlists and segments: captions, or the original if the library exposes it. */
export async function serveFile(publication: Publication, file: FileRequest, storage: EdgeStorage): Promise<Answer> {
  switch (file.kind) {
    case 'captions':
      return serveCaptions(publication, file.language, storage);
    case 'original':
      return serveOriginal(publication, storage);
  }
}

async function serveCaptions({ captions }: Publication, language: string, storage: EdgeStorage): Promise<Answer> {
  const track = captions.find(({ srclang }) => srclang.toLowerCase() === language.toLowerCase());
  if (track === undefined) return notFound('unknown-captions');
  return serveObject(track.key, 'text/vtt; charset=utf-8', storage);
}

/** Serves the original. Early play exposes it only until an encoded rendition exists. With DRM, it is never exposed. */
async function serveOriginal(publication: Publication, storage: EdgeStorage): Promise<Answer> {
  const { settings, sourceKey, sourceContainer, state } = publication;
  const isShown = settings.exposesOriginals && settings.keepsOriginals;
  const isEarly = settings.allowsEarlyPlay && state !== 'finished';
  // A clear file next to an encrypted video would bypass its encryption.
  const isHidden = settings.drm !== 'none';
  if (sourceKey === null || isHidden || !(isShown || isEarly)) return notFound('no-original');
  return serveObject(sourceKey, originalType(sourceContainer ?? ''), storage);
}

function originalType(container: string): string {
  if (container.includes('mp4')) return 'video/mp4';
  if (container.includes('webm')) return 'video/webm';
  return 'application/octet-stream';
}

/** Serves a whole stored object. */
export async function serveObject(key: StorageKey, contentType: string, storage: EdgeStorage): Promise<Answer> {
  const info = await storage.head(key);
  if (info === null) throw new ObjectMissing(`Expected a stored object ${key}, got none.`);
  const etag = info.etag.startsWith('"') ? info.etag : `"${info.etag}"`;
  const window = { key, version: etag, start: 0, sizeBytes: info.sizeBytes };
  return { kind: 'object', window, contentType, cacheControl: CACHE_SHORTLY, etag, modifiedAt: info.modifiedAt };
}
