import { randomBytes } from 'node:crypto';
import { captionLabel, findCaption, readCaptionLanguage } from '../../catalog/captions/caption.ts';
import { createCaptionStore } from '../../catalog/captions/caption-store.ts';
import type { MediaKey } from '../../catalog/db.ts';
import { loadAttached } from '../../catalog/imports/imported-video-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { createThumbnailStore } from '../../catalog/videos/thumbnail-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { writeVtt } from '../../media/captions/cue.ts';
import { decodeCaptions } from '../../media/captions/decode-captions.ts';
import { readCaptions } from '../../media/captions/read-captions.ts';
import { createImageMaker } from '../../media/images/run-image-maker.ts';
import { storageKey } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import type { LocatedFiles } from './import-source.ts';
import { isTransient, type SourceClient } from './source-client.ts';

const MAX_CAPTION_BYTES = 5 * 2 ** 20;
const MAX_IMAGE_BYTES = 16 * 2 ** 20;

type Caption = LocatedFiles['captions'][number];
type Deps = Pick<JobDeps, 'db' | 'storage'> & { client: SourceClient };

/**
 * Fetches captions and thumbnail of a video that exists here, and skips those that it has already. Returns a sentence
 * per file that the source does not have or that cannot be read; such a file does not stop the import.
 */
export async function attachFiles(
  key: MediaKey,
  { located, deps }: { located: LocatedFiles; deps: Deps },
  signal: AbortSignal,
): Promise<string[]> {
  const { captions, hasThumbnail } = await loadAttached(deps.db, key);
  const notes: string[] = [];
  const attempt = async (what: string, attach: () => Promise<void>): Promise<boolean> => {
    try {
      await attach();
      return true;
    } catch (error) {
      if (isTransient(error)) throw error;
      notes.push(`${what} could not be imported: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };
  const languages = new Set<string>();
  for (const caption of located.captions) {
    const language = caption.srclang.replaceAll('_', '-').toLowerCase();
    if (languages.has(language)) {
      const name = [caption.srclang, caption.label].filter((part) => part !== '').join(', ');
      notes.push(`Captions "${name}" are not imported, because the video has others in this language.`);
      continue;
    }
    const isHere = findCaption(captions, caption.srclang) !== undefined;
    // If a file cannot be read, try the next one in this language.
    if (
      isHere ||
      (await attempt(`Captions "${caption.srclang}"`, () => attachCaption(key, { caption, deps }, signal)))
    ) {
      languages.add(language);
    }
  }
  const { thumbnail } = located;
  if (thumbnail !== null && !hasThumbnail) {
    await attempt('The thumbnail', () => attachThumbnail(key, { thumbnail, deps }, signal));
  }
  return notes;
}

async function attachCaption(
  key: MediaKey,
  { caption, deps }: { caption: Caption; deps: Deps },
  signal: AbortSignal,
): Promise<void> {
  const { url, headers, label, origin, translatedFrom } = caption;
  const srclang = readCaptionLanguage(caption.srclang);
  const bytes = await deps.client.readFile({ url, headers, maxBytes: MAX_CAPTION_BYTES }, signal);
  const { cues, errors } = readCaptions(decodeCaptions(bytes, srclang).text);
  if (errors[0] !== undefined) throw new Refused('invalid', errors[0]);
  const vtt = Buffer.from(writeVtt(cues));
  const store = createCaptionStore(deps.db);
  const { version, objectKey } = await store.reserve(key, srclang);
  await deps.storage.put(objectKey, vtt, { contentType: 'text/vtt; charset=utf-8' }, signal);
  const made = { ...(origin !== undefined && { origin }), ...(translatedFrom !== undefined && { translatedFrom }) };
  const track = { srclang, label: captionLabel(label, srclang), version, key: objectKey, sizeBytes: vtt.length };
  await store.put(key, { ...track, ...made }).catch(async (error: unknown) => {
    // After any other error the commit may have succeeded. The sweep of orphans decides.
    if (error instanceof Refused) await deps.storage.delete([objectKey]);
    throw error;
  });
}

async function attachThumbnail(
  key: MediaKey,
  { thumbnail, deps }: { thumbnail: { url: string; headers: Record<string, string> }; deps: Deps },
  signal: AbortSignal,
): Promise<void> {
  const bytes = await deps.client.readFile({ ...thumbnail, maxBytes: MAX_IMAGE_BYTES }, signal);
  const { jpeg, widthPx, heightPx, blurhash } = await createImageMaker().make(bytes, signal);
  const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
  const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
  await deps.storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
  const own = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
  await createThumbnailStore(deps.db)
    .put(key, own)
    .catch(async (error: unknown) => {
      if (error instanceof Refused) await deps.storage.delete([objectKey]);
      throw error;
    });
}
