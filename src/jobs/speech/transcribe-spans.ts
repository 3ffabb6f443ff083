import { createHash } from 'node:crypto';
import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { transcriptionMessage } from '../../catalog/lifecycle/messages.ts';
import type { SpeechRunKey } from '../../catalog/speech/speech-run-store.ts';
import { areVideosWaiting, keepSpan, loadSpans, type StoredSpan } from '../../catalog/speech/speech-span-store.ts';
import { mayTranscribe, type SpeechAudio } from '../../catalog/speech/speech-store.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { Span } from '../../media/speech/cut-spans.ts';
import { EngineCrashed } from '../../ports/engine-crashed.ts';
import { SPEECH_SAMPLE_RATE, type SpokenWord, type Transcriber } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { openSpans } from './open-spans.ts';

/** Maximum time in ms for which one video uses the engine before other videos get a turn. */
const TURN_MS = 5 * 60_000;
const BYTES_A_SEC = 2 * SPEECH_SAMPLE_RATE;
/**
 * Maximum number of consecutive engine crashes. After more crashes, the engine is considered faulty and not the spans.
 */
const MAX_CRASHES = 3;

export type SpokenText = { language: string; words: SpokenWord[] };

/**
 * Outcome of a transcription: complete (`whole`), its time slice ended (`turn`, with the number of consecutive crashes
 * so far), new videos wait to be encoded (`gave-way`), a person has added captions (`dropped`), or the run is over
 * (`gone`) because the video was deleted, the run was cancelled, or another run replaced it.
 */
export type SpansEnd =
  | { kind: 'whole'; text: SpokenText }
  | { kind: 'turn'; crashes: number }
  | { kind: 'gave-way' | 'dropped' | 'gone' };

export type SpansWanted = {
  key: SpeechRunKey;
  audio: SpeechAudio;
  transcriber: Transcriber;
  language: string | null;
  force: boolean;
  givesWay: boolean;
  /** Consecutive crashes before this time slice. */
  crashes: number;
};

/**
 * Transcribes audio span by span. Without a language, the first span with words decides the language of the rest. The
 * words of each span are stored, so that the next run continues with the next span. Decoding the audio again costs
 * little compared with transcribing it.
 */
export async function transcribeSpans(wanted: SpansWanted, deps: JobDeps, signal: AbortSignal): Promise<SpansEnd> {
  const open = await openSpans(wanted.audio, deps, signal);
  try {
    const end = await walkSpans(open.spans, wanted, deps, signal);
    if (end.kind === 'whole') await open.done;
    return end;
  } finally {
    await open.close();
  }
}

async function walkSpans(
  spans: AsyncIterable<Span>,
  wanted: SpansWanted,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<SpansEnd> {
  const { key, transcriber, givesWay, force } = wanted;
  const kept = await loadSpans(deps.db, key);
  const text: SpokenText = { language: wanted.language ?? '', words: [] };
  const turnEndsMs = performance.now() + TURN_MS;
  let { crashes } = wanted;
  for await (const span of spans) {
    const identity = createHash('sha256')
      .update(`${transcriber.name} ${wanted.language}`)
      .update(span.samples)
      .digest();
    const known = kept.get(Math.round(span.startSec * 1000));
    const isKnown = known?.identity.equals(identity) === true;
    if (!isKnown && performance.now() > turnEndsMs) return { kind: 'turn', crashes };
    if (!isKnown && givesWay && transcriber.isLocal && (await areVideosWaiting(deps.db))) return { kind: 'gave-way' };
    const attempt = isKnown ? known : await findWords({ span, identity, text }, transcriber, signal);
    if (!isKnown) crashes = attempt instanceof EngineCrashed ? crashes + 1 : 0;
    if (attempt instanceof EngineCrashed && crashes >= MAX_CRASHES) throw attempt;
    const found = attempt instanceof EngineCrashed ? await passOver(attempt, { key, span, identity }, deps) : attempt;
    if (text.language === '' && found.words.length > 0) text.language = found.language;
    for (const word of found.words) {
      const { startSec, endSec } = word;
      text.words.push({ text: word.text, startSec: span.startSec + startSec, endSec: span.startSec + endSec });
    }
    if (isKnown) continue;
    const doneSec = span.startSec + span.samples.length / BYTES_A_SEC;
    const captions = await keepSpan(deps.db, key, { span: found, doneSec });
    if (captions === null) return { kind: 'gone' };
    if (text.language !== '' && !mayTranscribe(captions, text.language, force)) return { kind: 'dropped' };
  }
  return { kind: 'whole', text };
}

type SpanToFind = { span: Span; identity: Buffer; text: SpokenText };

/**
 * Transcribes a span and drops words whose time is after the end of the span, because they were not said there. Returns
 * the error if the engine crashed.
 */
async function findWords(
  { span, identity, text }: SpanToFind,
  transcriber: Transcriber,
  signal: AbortSignal,
): Promise<StoredSpan | EngineCrashed> {
  const language = text.language === '' ? null : text.language;
  const startedMs = performance.now();
  try {
    const speech = await transcriber.transcribe(span.samples, { language }, signal);
    const lengthSec = span.samples.length / BYTES_A_SEC;
    metrics.speechMedia.inc(lengthSec);
    const words = speech.words
      .filter(({ startSec }) => startSec >= 0 && startSec < lengthSec)
      .map((word) => ({ ...word, endSec: Math.min(word.endSec, lengthSec) }));
    return { startMs: Math.round(span.startSec * 1000), identity, language: speech.language, words };
  } catch (error) {
    if (!signal.aborted) metrics.speechErrors.inc();
    if (error instanceof EngineCrashed) return error;
    throw error;
  } finally {
    metrics.speechBusy.inc((performance.now() - startedMs) / 1000);
  }
}

/** Treats a span on which the engine crashed as a span without words, and reports it in the messages of the video. */
async function passOver(
  crash: EngineCrashed,
  { key, span, identity }: { key: MediaKey; span: Span; identity: Buffer },
  { db }: JobDeps,
): Promise<StoredSpan> {
  const sec = Math.round(span.startSec);
  const message = transcriptionMessage(`The speech at ${sec} s could not be transcribed: ${crash.message}`, new Date());
  await inTransaction(db, (tx) => addMessages(tx, key, [message]));
  return { startMs: Math.round(span.startSec * 1000), identity, language: '', words: [] };
}
