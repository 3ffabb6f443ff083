import type { Readable } from 'node:stream';
import { findCaption } from '../../catalog/captions/caption.ts';
import { createCaptionStore } from '../../catalog/captions/caption-store.ts';
import { addCaption, loadCaptionSource } from '../../catalog/captions/extracted-caption-store.ts';
import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { warningMessage } from '../../catalog/lifecycle/messages.ts';
import { writeVtt } from '../../media/captions/cue.ts';
import { decodeCaptions } from '../../media/captions/decode-captions.ts';
import { type ChosenSubtitle, chooseSubtitles, planSubtitles, readTrack } from '../../media/captions/subtitles.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { SourceFacts, SubtitleFacts } from '../../media/probe/source-facts.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/** A video whose original may contain text subtitles. */
export type CaptionsRef = MediaKey;

const MAX_TEXT_BYTES = 32 * 2 ** 20;

/**
 * Makes captions from the text subtitles in a video's original. Skips languages that already have captions, so that
 * captions written by people are never lost. Idempotent.
 */
export const extractCaptions = defineJob<CaptionsRef, JobDeps>({
  name: 'extract-captions',
  queue: 'quick',
  retryLimit: 3,
  async run(ref, deps, signal) {
    const key: MediaKey = { libraryId: ref.libraryId, mediaId: ref.mediaId };
    const source = await loadCaptionSource(deps.db, key);
    if (source === null) return;
    const isMissing = ({ srclang }: ChosenSubtitle) => findCaption(source.captions, srclang) === undefined;
    const tracks = chooseSubtitles(source.facts).filter(isMissing);
    if (tracks.length === 0) return;
    const local = await openPlanned(deps.sources, source, signal);
    try {
      const texts = await readTexts(local.path, source.facts, tracks, signal);
      for (const [index, track] of tracks.entries()) await storeTrack(key, track, texts[index], deps, signal);
    } finally {
      await local.release();
    }
  },
  async giveUp(ref, deps, reason) {
    const message = warningMessage(`The subtitles in the file could not be read: ${reason}`, new Date());
    await inTransaction(deps.db, (tx) => addMessages(tx, ref, [message]));
  },
});

async function readTexts(
  sourcePath: string,
  facts: SourceFacts,
  tracks: readonly SubtitleFacts[],
  signal: AbortSignal,
): Promise<Buffer[]> {
  const run = await runFfmpeg(planSubtitles(facts, tracks), { sourcePath }, signal);
  const texts = await Promise.all(run.outputs.map(readText));
  await run.done;
  return texts;
}

async function readText(output: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of output) {
    // The stream has no character encoding, so it yields buffers.
    parts.push(part as Buffer);
    sizeBytes += (part as Buffer).length;
    if (sizeBytes > MAX_TEXT_BYTES) throw new Error(`Expected at most ${MAX_TEXT_BYTES} bytes of subtitles, got more.`);
  }
  return Buffer.concat(parts);
}

async function storeTrack(
  key: MediaKey,
  track: ChosenSubtitle,
  bytes: Buffer | undefined,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<void> {
  const { text, warnings } = decodeCaptions(bytes ?? Buffer.alloc(0), track.language);
  const cues = readTrack(track, text);
  if (cues.length === 0) return;
  const { version, objectKey } = await createCaptionStore(deps.db).reserve(key, track.srclang);
  const vtt = Buffer.from(writeVtt(cues));
  const { srclang, label } = track;
  const caption = { srclang, label, version, key: objectKey, sizeBytes: vtt.length };
  // Store the object first, so that no row refers to a missing object.
  await deps.storage.put(objectKey, vtt, { contentType: 'text/vtt; charset=utf-8' }, signal);
  const messages = warnings.map((warning) => warningMessage(`Captions "${label}": ${warning}`, new Date()));
  const isTaken = await inTransaction(deps.db, async (tx) => {
    const isAdded = await addCaption(tx, key, caption);
    if (isAdded) await addMessages(tx, key, messages);
    return isAdded;
  });
  if (!isTaken) await discardObjects(deps.storage, [objectKey], deps.report);
}
