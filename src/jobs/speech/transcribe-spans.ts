import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { MediaKey } from '../../catalog/db.ts';
import { areVideosWaiting, keepSpan, loadSpans, type StoredSpan } from '../../catalog/speech/speech-span-store.ts';
import { mayTranscribe, type SpeechSound } from '../../catalog/speech/speech-store.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { cutSpans, type Span } from '../../media/speech/cut-spans.ts';
import { planSpeechSound } from '../../media/speech/plan-speech-sound.ts';
import { SPEECH_SAMPLE_RATE, type SpokenWord, type Transcriber } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { asBuffers, readFragments } from './read-fragments.ts';

/** The decoder stands still while an engine works on a span; adapters give one at most five minutes. */
const SLOWEST_SPAN_SEC = 900;
/** A video's turn: then others that wait for the engine have theirs. */
const TURN_MS = 5 * 60_000;
const BYTES_A_SEC = 2 * SPEECH_SAMPLE_RATE;

export type SpokenText = { language: string; words: SpokenWord[] };

/**
 * How transcribing ended: `whole`, its turn is over (`turn`), new videos wait to be encoded (`gave-way`), or it is of no
 * use any more (`dropped`): the video is gone, or a person's captions stand in the way.
 */
export type SpansEnd = { kind: 'whole'; text: SpokenText } | { kind: 'turn' | 'gave-way' | 'dropped' };

export type SpansWanted = {
  key: MediaKey;
  sound: SpeechSound;
  transcriber: Transcriber;
  language: string | null;
  force: boolean;
  givesWay: boolean;
};

/**
 * Transcribes audio span by span; the first span that holds words decides on the language of the rest. What was found in a
 * span is kept, so that whoever goes on begins with the next: what is decoded again costs little beside an engine.
 */
export async function transcribeSpans(wanted: SpansWanted, deps: JobDeps, signal: AbortSignal): Promise<SpansEnd> {
  const { sound } = wanted;
  const plan = planSpeechSound(sound.durationSec, SPEECH_SAMPLE_RATE);
  const input = readFragments(sound, deps.storage, signal);
  const ending = new AbortController();
  const options = { sourcePath: null, input, stallSec: SLOWEST_SPAN_SEC };
  const run = await runFfmpeg(plan, options, AbortSignal.any([signal, ending.signal]));
  const [samples] = run.outputs;
  if (samples === undefined) throw new Error('Expected a pipe of samples, the decoder has none.');
  try {
    const end = await walkSpans(samples, wanted, deps, signal);
    if (end.kind === 'whole') await run.done;
    return end;
  } finally {
    ending.abort();
    // Its end is known by now; an error of a run that was ended says nothing.
    await run.done.catch(() => undefined);
  }
}

async function walkSpans(
  samples: Readable,
  wanted: SpansWanted,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<SpansEnd> {
  const { key, transcriber, givesWay, force } = wanted;
  const kept = await loadSpans(deps.db, key);
  const text: SpokenText = { language: wanted.language ?? '', words: [] };
  const turnEndsMs = performance.now() + TURN_MS;
  for await (const span of cutSpans(asBuffers(samples), SPEECH_SAMPLE_RATE)) {
    const identity = createHash('sha256').update(transcriber.name).update(span.samples).digest();
    const known = kept.get(Math.round(span.startSec * 1000));
    const isKnown = known?.identity.equals(identity) === true;
    if (!isKnown && performance.now() > turnEndsMs) return { kind: 'turn' };
    if (!isKnown && givesWay && transcriber.isLocal && (await areVideosWaiting(deps.db))) return { kind: 'gave-way' };
    const found = isKnown ? known : await findWords({ span, identity, text }, transcriber, signal);
    if (text.language === '' && found.words.length > 0) text.language = found.language;
    for (const word of found.words) {
      const { startSec, endSec } = word;
      text.words.push({ text: word.text, startSec: span.startSec + startSec, endSec: span.startSec + endSec });
    }
    if (isKnown) continue;
    const doneSec = span.startSec + span.samples.length / BYTES_A_SEC;
    const captions = await keepSpan(deps.db, key, { span: found, doneSec });
    if (captions === null) return { kind: 'dropped' };
    if (text.language !== '' && !mayTranscribe(captions, text.language, force)) return { kind: 'dropped' };
  }
  return { kind: 'whole', text };
}

type SpanToFind = { span: Span; identity: Buffer; text: SpokenText };

/** Words that an engine dates after the end of its span were never said there. */
async function findWords(
  { span, identity, text }: SpanToFind,
  transcriber: Transcriber,
  signal: AbortSignal,
): Promise<StoredSpan> {
  const language = text.language === '' ? null : text.language;
  const speech = await transcriber.transcribe(span.samples, { language }, signal);
  const lengthSec = span.samples.length / BYTES_A_SEC;
  const words = speech.words
    .filter(({ startSec }) => startSec >= 0 && startSec < lengthSec)
    .map((word) => ({ ...word, endSec: Math.min(word.endSec, lengthSec) }));
  return { startMs: Math.round(span.startSec * 1000), identity, language: speech.language, words };
}
