import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { transcriptionMessage } from '../../catalog/lifecycle/messages.ts';
import { beginSpeechRun, noteSpeechRun } from '../../catalog/speech/speech-run-store.ts';
import { loadSpeechSource, mayTranscribe, type SpeechSound } from '../../catalog/speech/speech-store.ts';
import { Refused } from '../../lib/refused.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { buildCues } from '../../media/speech/build-cues.ts';
import { cutSpans } from '../../media/speech/cut-spans.ts';
import { planSpeechSound } from '../../media/speech/plan-speech-sound.ts';
import { EngineBusy } from '../../ports/engine-busy.ts';
import { SPEECH_SAMPLE_RATE, type SpokenWord, type Transcriber } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob, type Queue, type SendOptions } from '../queue/define-job.ts';
import { publishCues } from './publish-cues.ts';
import { asBuffers, readFragments } from './read-fragments.ts';
import { translateCaptions } from './translate-captions.ts';

/**
 * `language` is that of the speaker, null for the engine's guess; `force` makes made captions anew; `targets` are the
 * languages that captions are translated into afterwards.
 */
export type Transcription = MediaKey & { language: string | null; force: boolean; targets: readonly string[] };

/** How soon a video is looked at again whose sound is not stored yet. */
const WAIT_SEC = 10;
/** Waiting ends with the video; this bounds it all the same. */
const LONGEST_WAIT_SEC = 24 * 3600;

/**
 * Makes captions of what is said in a video, span by span, from its stored sound. Captions that a person wrote are left
 * alone, before and after; doing it twice changes nothing. A video whose sound is not stored yet is waited for.
 */
export const transcribeVideo = defineJob<Transcription & { waitedSec?: number }, JobDeps>({
  name: 'transcribe-video',
  queue: 'long',
  retryLimit: 4,
  async run(wanted, deps, signal) {
    const key: MediaKey = { libraryId: wanted.libraryId, mediaId: wanted.mediaId };
    try {
      const outcome = await transcribe(wanted, deps, signal);
      if (outcome.kind === 'later') return await sendAgain(wanted, deps, outcome.delaySec);
      await noteSpeechRun(deps.db, key, { state: 'finished', reason: outcome.reason });
      if (outcome.reason === '') await sendTranslations(wanted, deps);
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      await sendAgain(wanted, deps, error.retryAfterSec);
    }
  },
  async giveUp(wanted, deps, reason) {
    const message = transcriptionMessage(`What is said could not be transcribed: ${reason}`, new Date());
    await inTransaction(deps.db, (tx) => addMessages(tx, wanted, [message]));
    await noteSpeechRun(deps.db, wanted, { state: 'failed', reason });
  },
});

/** Has a video transcribed; while that is under way already, nothing follows. */
export function requestTranscription(queue: Queue, wanted: Transcription, options: SendOptions = {}): FollowUp {
  return async (tx) => {
    if (await beginSpeechRun(tx, wanted)) await queue.send(transcribeVideo, wanted, options)(tx);
  };
}

/** `reason` says why there are no captions now, where there are none. */
type Outcome = { kind: 'over'; reason: string } | { kind: 'later'; delaySec: number };

async function transcribe(wanted: Transcription, deps: JobDeps, signal: AbortSignal): Promise<Outcome> {
  const key: MediaKey = { libraryId: wanted.libraryId, mediaId: wanted.mediaId };
  const { transcriber } = deps;
  if (transcriber === null) throw new Refused('invalid', 'No speech engine is set. Set MILLRACE_TRANSCRIBER.');
  const source = await loadSpeechSource(deps.db, key);
  const isOver = source.state === 'finished' || source.state === 'jit-ready';
  if (source.state === 'failed') return { kind: 'over', reason: 'The video could not be encoded.' };
  if (isOver && !source.hasSound) return { kind: 'over', reason: 'The video has no audio.' };
  if (source.sound === null) return { kind: 'later', delaySec: WAIT_SEC };
  const { language, force } = wanted;
  const done: Outcome = { kind: 'over', reason: '' };
  if (language !== null && !mayTranscribe(source.captions, language, force)) return done;
  await noteSpeechRun(deps.db, key, { state: 'running' });
  const transcript = await transcribeSound(source.sound, { transcriber, language, deps }, signal);
  if (!mayTranscribe(source.captions, transcript.language, force)) return done;
  return { kind: 'over', reason: await publish(key, transcript, { force, deps }, signal) };
}

async function sendTranslations({ targets, ...wanted }: Transcription, { db, queue }: JobDeps): Promise<void> {
  const { libraryId, mediaId, language, force } = wanted;
  for (const target of targets) {
    const translation = { libraryId, mediaId, language, target, force };
    await inTransaction(db, queue.send(translateCaptions, translation, { onlyOneNamed: `${mediaId}/${target}` }));
  }
}

async function sendAgain(
  wanted: Transcription & { waitedSec?: number },
  { db, queue }: JobDeps,
  delaySec: number,
): Promise<void> {
  const waitedSec = (wanted.waitedSec ?? 0) + delaySec;
  if (waitedSec > LONGEST_WAIT_SEC) throw new Refused('invalid', 'What is needed for it was not there within a day.');
  await inTransaction(db, queue.send(transcribeVideo, { ...wanted, waitedSec }, { delaySec }));
  await noteSpeechRun(db, wanted, { state: 'waiting' });
}

/** The decoder stands still while an engine works on a span; adapters give one at most five minutes. */
const SLOWEST_SPAN_SEC = 900;

type Transcript = { language: string; words: SpokenWord[] };

/** Transcribes all of the sound; the first span that holds words decides on the language of the rest. */
async function transcribeSound(
  sound: SpeechSound,
  { transcriber, language, deps }: { transcriber: Transcriber; language: string | null; deps: JobDeps },
  signal: AbortSignal,
): Promise<Transcript> {
  const plan = planSpeechSound(sound.durationSec, SPEECH_SAMPLE_RATE);
  const input = readFragments(sound, deps.storage, signal);
  const run = await runFfmpeg(plan, { sourcePath: null, input, stallSec: SLOWEST_SPAN_SEC }, signal);
  const [samples] = run.outputs;
  if (samples === undefined) throw new Error('Expected a pipe of samples, the decoder has none.');
  const transcript: Transcript = { language: language ?? '', words: [] };
  for await (const { startSec, samples: span } of cutSpans(asBuffers(samples), SPEECH_SAMPLE_RATE)) {
    const wanted = transcript.language === '' ? null : transcript.language;
    const speech = await transcriber.transcribe(span, { language: wanted }, signal);
    if (transcript.language === '' && speech.words.length > 0) transcript.language = speech.language;
    for (const word of speech.words) {
      transcript.words.push({ text: word.text, startSec: startSec + word.startSec, endSec: startSec + word.endSec });
    }
  }
  await run.done;
  return transcript;
}

/** Publishes captions of a transcript; answers why there are none. */
async function publish(
  key: MediaKey,
  { language, words }: Transcript,
  { force, deps }: { force: boolean; deps: JobDeps },
  signal: AbortSignal,
): Promise<string> {
  const cues = buildCues(words, language);
  if (cues.length > 0) {
    await publishCues(key, { language, cues, force }, deps, signal);
    return '';
  }
  const reason = 'No speech was found, so no captions were made.';
  await inTransaction(deps.db, (tx) => addMessages(tx, key, [transcriptionMessage(reason, new Date())]));
  return reason;
}
