import { imageKey } from '../../catalog/images/image-key.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { hasImage } from '../../media/images/image-set.ts';
import { writeStoryboardVtt } from '../../media/images/storyboard.ts';
import { drawPeaks } from '../../media/images/waveform.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { serveObject } from '../files/serve-file.ts';
import { type Answer, CACHE_SHORTLY, notFound } from '../http/answer.ts';

type ImageRequest = { kind: 'image'; name: string } | { kind: 'storyboard' };

const TYPES: Record<string, string> = {
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  webm: 'video/webm',
  mp4: 'video/mp4',
};

/** Serves a thumbnail, a storyboard sheet, an animation or the waveform, or the file that describes the sheets. */
export async function serveImage(publication: Publication, file: ImageRequest, storage: EdgeStorage): Promise<Answer> {
  switch (file.kind) {
    case 'storyboard':
      return serveStoryboard(publication);
    case 'image':
      return serveNamed(publication, file.name, storage);
  }
}

async function serveNamed(publication: Publication, name: string, storage: EdgeStorage): Promise<Answer> {
  const { libraryId, mediaId, images, thumbnailKey, thumbnailFileName } = publication;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'image/jpeg';
  if (name === 'thumbnail.jpg' || name === thumbnailFileName) {
    return thumbnailKey === null ? unknown() : serveObject(thumbnailKey, type, storage);
  }
  if (name === 'waveform.json' || name === 'waveform.svg') return serveWaveform(publication, name);
  if (images === null || !hasImage(images, name)) return unknown();
  return serveObject(imageKey({ libraryId, mediaId }, images, name), type, storage);
}

function serveWaveform({ waveform, durationMs, revision }: Publication, name: string): Answer {
  if (waveform === null || waveform.length === 0) return unknown();
  const common = { kind: 'bytes', cacheControl: CACHE_SHORTLY, etag: `"${name}-${revision}"` } as const;
  if (name.endsWith('svg')) return { ...common, bytes: Buffer.from(drawPeaks(waveform)), contentType: 'image/svg+xml' };
  const bytes = Buffer.from(JSON.stringify({ durationMs, peaks: [...waveform] }));
  return { ...common, bytes, contentType: 'application/json; charset=utf-8' };
}

function serveStoryboard({ images }: Publication): Answer {
  if (images === null) return unknown();
  return {
    kind: 'bytes',
    bytes: Buffer.from(writeStoryboardVtt(images.board)),
    contentType: 'text/vtt; charset=utf-8',
    cacheControl: CACHE_SHORTLY,
    etag: `"${images.folder}"`,
  };
}

function unknown(): Answer {
  return notFound('unknown-picture');
}
