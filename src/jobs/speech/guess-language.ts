import type { SpeechAudio } from '../../catalog/speech/speech-store.ts';
import type { Span } from '../../media/speech/cut-spans.ts';
import { EngineCrashed } from '../../ports/engine-crashed.ts';
import type { Transcriber } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { openSpans } from './open-spans.ts';

const PLACES = 3;
/** Number of chunks per sample, at least about ten seconds of audio. */
const CHUNKS_A_PLACE = 2;
/** Maximum number of chunks of audio that is examined completely instead of sampled. */
const FEW_CHUNKS = PLACES * CHUNKS_A_PLACE;

/**
 * Guesses the language of a video. The engine transcribes a span in the middle of each third, and the language of most
 * words is used, so that an opening in another language does not decide. Returns null if the spans contain no words.
 */
export async function guessLanguage(
  { audio, transcriber }: { audio: SpeechAudio; transcriber: Transcriber },
  deps: JobDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const { languages } = transcriber;
  if (languages?.length === 1) return languages[0] ?? null;
  const words = new Map<string, number>();
  for (const span of await chooseSpans(audio, deps, signal)) {
    const speech = await transcriber.transcribe(span.samples, { language: null }, signal).catch(skipCrash);
    if (speech === null || speech.words.length === 0) continue;
    words.set(speech.language, (words.get(speech.language) ?? 0) + speech.words.length);
  }
  return [...words].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/**
 * Returns null if the engine crashed on a span, which then indicates no language. The transcription skips such a span
 * too.
 */
function skipCrash(error: unknown): null {
  if (error instanceof EngineCrashed) return null;
  throw error;
}

async function chooseSpans(audio: SpeechAudio, deps: JobDeps, signal: AbortSignal): Promise<Span[]> {
  if (audio.chunks.length <= FEW_CHUNKS) {
    const spans = await readSpans(audio, deps, signal);
    const chosen = spans.length <= PLACES ? spans : [spans[0], spans[spans.length >> 1], spans.at(-1)];
    return chosen.filter((span) => span !== undefined);
  }
  const chosen: Span[] = [];
  for (const first of placesOf(audio.chunks.length)) {
    const chunks = audio.chunks.slice(first, first + CHUNKS_A_PLACE);
    const spans = await readSpans({ ...audio, chunks }, deps, signal);
    const [longest] = spans.toSorted((a, b) => b.samples.length - a.samples.length);
    if (longest !== undefined) chosen.push(longest);
  }
  return chosen;
}

/** Returns the first chunk of the span in the middle of each third. */
function placesOf(chunks: number): number[] {
  return Array.from({ length: PLACES }, (_, place) => Math.floor((chunks * (2 * place + 1)) / (2 * PLACES)));
}

async function readSpans(audio: SpeechAudio, deps: JobDeps, signal: AbortSignal): Promise<Span[]> {
  const open = await openSpans(audio, deps, signal);
  try {
    const spans: Span[] = [];
    for await (const span of open.spans) spans.push(span);
    await open.done;
    return spans;
  } finally {
    await open.close();
  }
}
