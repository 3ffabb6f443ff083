import type { CaptionTrack } from '../../catalog/schema.ts';
import { Refused } from '../../lib/refused.ts';
import type { Cue } from '../../media/captions/cue.ts';
import { readCaptions } from '../../media/captions/read-captions.ts';
import type { Storage } from '../../ports/storage.ts';

const MAX_CAPTION_BYTES = 8 * 2 ** 20;

/** Reads the cues of a stored track. Throws `Refused` (`too-large`) if the file is larger than 8 MiB. */
export async function readTrack(
  { key, srclang, sizeBytes = 0 }: CaptionTrack,
  storage: Storage,
  signal: AbortSignal,
): Promise<Cue[]> {
  if (sizeBytes > MAX_CAPTION_BYTES)
    throw new Refused('too-large', `The captions "${srclang}" of the video are too large.`);
  return readCaptions((await storage.readBytes(key, null, signal)).toString('utf8')).cues;
}

/**
 * Returns the caption track with the spoken text. With a language, prefers captions in that language written by a
 * person over generated ones. Without a language, returns the first track written by a person, or else the first track
 * generated from speech and not translated. Returns null if there is none.
 */
export function chooseTrack(captions: readonly CaptionTrack[], language: string | null): CaptionTrack | null {
  const spoken = captions.filter(({ translatedFrom }) => translatedFrom === undefined);
  const of = (srclang: string) => spoken.find((track) => track.srclang.toLowerCase() === srclang);
  if (language !== null) return of(language) ?? of(`${language}-auto`) ?? null;
  return spoken.find(({ origin }) => origin === undefined) ?? spoken[0] ?? null;
}
