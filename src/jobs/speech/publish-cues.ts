import { captionLabel } from '../../catalog/captions/caption.ts';
import { createCaptionStore } from '../../catalog/captions/caption-store.ts';
import type { MediaKey } from '../../catalog/db.ts';
import { autoLanguage, putSpokenCaption } from '../../catalog/speech/speech-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { type Cue, writeVtt } from '../../media/captions/cue.ts';
import type { JobDeps } from '../job-deps.ts';
import { indexCaptions } from './index-captions.ts';

/** Generated captions in one language. `translatedFrom` is the track that was translated. */
export type MadeCues = { language: string; cues: readonly Cue[]; force: boolean; translatedFrom?: string };

/** Publishes generated captions as `{language}-auto`, unless a person has added captions in the meantime. */
export async function publishCues(
  key: MediaKey,
  { language, cues, force, translatedFrom }: MadeCues,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<void> {
  const srclang = autoLanguage(language);
  const { version, objectKey } = await createCaptionStore(deps.db).reserve(key, srclang);
  const vtt = Buffer.from(writeVtt(cues));
  const label = `${captionLabel(null, language)} (auto)`;
  const made = { origin: 'speech' as const, ...(translatedFrom !== undefined && { translatedFrom }) };
  const track = { srclang, label, version, key: objectKey, sizeBytes: vtt.length, ...made };
  // Store the object first, so that no row refers to a missing object.
  await deps.storage.put(objectKey, vtt, { contentType: 'text/vtt; charset=utf-8' }, signal);
  const generated = announce(key, WebhookStatus.captionsGenerated);
  const indexed = deps.queue.send(indexCaptions, {}, { onlyOneNamed: 'now' });
  const isShown = await putSpokenCaption(deps.db, key, { track, language, force }, generated, indexed);
  if (!isShown) await deps.storage.delete([objectKey]);
}
