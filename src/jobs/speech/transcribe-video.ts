import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { transcriptionMessage } from '../../catalog/lifecycle/messages.ts';
import {
  beginSpeechRun,
  loadSpeechRun,
  noteSpeechLanguage,
  noteSpeechRun,
  type SpeechRunKey,
} from '../../catalog/speech/speech-run-store.ts';
import { dropSpans } from '../../catalog/speech/speech-span-store.ts';
import { loadSpeechSource, mayTranscribe, type SpeechAudio } from '../../catalog/speech/speech-store.ts';
import { Refused } from '../../lib/refused.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { buildCues } from '../../media/speech/build-cues.ts';
import { EngineBusy } from '../../ports/engine-busy.ts';
import { NO_ENGINE, type Transcriber } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob, type Queue, type SendOptions } from '../queue/define-job.ts';
import { guessLanguage } from './guess-language.ts';
import { publishCues } from './publish-cues.ts';
import { type SpokenText, transcribeSpans } from './transcribe-spans.ts';
import { translateCaptions } from './translate-captions.ts';

/**
 * `language` is the speaker's language. If it is null, the engine guesses it. `force` replaces generated captions.
 * `targets` are the languages to translate the captions into.
 */
export type Transcription = MediaKey & { language: string | null; force: boolean; targets: readonly string[] };

/** Interval of checks for a video whose audio is not stored yet, in seconds. */
const WAIT_SEC = 10;
/** Maximum wait in seconds. The wait usually ends earlier, when the video is finished or has failed. */
const MAX_WAIT_SEC = 24 * 3600;

/**
 * Pause in seconds while new videos wait to be encoded. `MAX_YIELD_SEC` limits the total, so that constant uploads
 * cannot delay transcriptions longer.
 */
const GIVE_WAY_SEC = 5;
const MAX_YIELD_SEC = 600;

/**
 * `run` is the number of the transcription run that the job belongs to. Jobs without a number, from earlier versions,
 * belong to the first run.
 */
type Sent = Transcription & { run?: number; waitedSec?: number; gaveWaySec?: number; crashes?: number };

/**
 * Generates captions from the speech in a video's stored audio, span by span. Never replaces captions written by
 * people. Idempotent. Waits for a video whose audio is not stored yet.
 */
export const transcribeVideo = defineJob<Sent, JobDeps>({
  name: 'transcribe-video',
  queue: 'long',
  retryLimit: 4,
  async run(wanted, deps, signal) {
    const key = runOf(wanted);
    try {
      const outcome = await transcribe(wanted, deps, signal);
      if (outcome.kind === 'gone') return;
      if (outcome.kind === 'later') {
        const gaveWaySec = (wanted.gaveWaySec ?? 0) + (outcome.gaveWaySec ?? 0);
        return await sendAgain({ ...wanted, gaveWaySec, crashes: outcome.crashes ?? 0 }, deps, outcome.delaySec);
      }
      await dropSpans(deps.db, key);
      await noteSpeechRun(deps.db, key, { state: 'finished', reason: outcome.reason });
      if (outcome.reason === '') await sendTranslations(wanted, deps);
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      await sendAgain(wanted, deps, error.retryAfterSec);
    }
  },
  async giveUp(wanted, deps, reason) {
    const message = transcriptionMessage(`The speech could not be transcribed: ${reason}`, new Date());
    await inTransaction(deps.db, (tx) => addMessages(tx, wanted, [message]));
    await noteSpeechRun(deps.db, runOf(wanted), { state: 'failed', reason });
  },
});

/** Requests the transcription of a video. Does nothing if one is pending or running. */
export function requestTranscription(queue: Queue, wanted: Transcription, options: SendOptions = {}): FollowUp {
  return async (tx) => {
    const run = await beginSpeechRun(tx, wanted);
    if (run !== null) await queue.send(transcribeVideo, { ...wanted, run }, options)(tx);
  };
}

function runOf({ libraryId, mediaId, run = 0 }: Sent): SpeechRunKey {
  return { libraryId, mediaId, run };
}

/** `reason` explains why there are no captions. `gone` means that nothing is left to do or record. */
type Outcome =
  | { kind: 'over'; reason: string }
  | { kind: 'later'; delaySec: number; gaveWaySec?: number; crashes?: number }
  | { kind: 'gone' };

async function transcribe(wanted: Sent, deps: JobDeps, signal: AbortSignal): Promise<Outcome> {
  const key = runOf(wanted);
  const run = await loadSpeechRun(deps.db, key);
  if (run === null || run.run !== key.run || run.state === 'cancelled') return { kind: 'gone' };
  const transcriber = await deps.findTranscriber();
  if (transcriber === null) throw new Refused('invalid', NO_ENGINE);
  const source = await loadSpeechSource(deps.db, key);
  const isEncoded = source.state === 'finished' || source.state === 'jit-ready';
  if (source.state === 'failed') return { kind: 'over', reason: 'The video could not be encoded.' };
  if (isEncoded && !source.hasAudio) return { kind: 'over', reason: 'The video has no audio.' };
  const { audio } = source;
  if (audio === null) return { kind: 'later', delaySec: WAIT_SEC };
  const { force } = wanted;
  const done: Outcome = { kind: 'over', reason: '' };
  if (wanted.language !== null && !mayTranscribe(source.captions, wanted.language, force)) return done;
  await noteSpeechRun(deps.db, key, { state: 'running' });
  const language = wanted.language ?? run.language ?? (await guess({ key, audio, transcriber }, deps, signal));
  if (language !== null && !mayTranscribe(source.captions, language, force)) return done;
  const givesWay = (wanted.gaveWaySec ?? 0) < MAX_YIELD_SEC;
  const { crashes = 0 } = wanted;
  const end = await transcribeSpans({ key, audio, transcriber, language, force, givesWay, crashes }, deps, signal);
  switch (end.kind) {
    case 'gone':
      return { kind: 'gone' };
    case 'dropped':
      return done;
    case 'turn':
      return { kind: 'later', delaySec: 0, crashes: end.crashes };
    case 'gave-way':
      return { kind: 'later', delaySec: GIVE_WAY_SEC, gaveWaySec: GIVE_WAY_SEC };
    case 'whole':
      if (!mayTranscribe(source.captions, end.text.language, force)) return done;
      return { kind: 'over', reason: await publish(key, end.text, { force, deps }, signal) };
    default:
      return unreachable(end);
  }
}

type Guessed = { key: SpeechRunKey; audio: SpeechAudio; transcriber: Transcriber };

/**
 * Guesses the language and stores the result, so that a run that continues after a crash or a time slice uses the same
 * language.
 */
async function guess({ key, ...heard }: Guessed, deps: JobDeps, signal: AbortSignal): Promise<string | null> {
  const language = await guessLanguage(heard, deps, signal);
  if (language !== null) await noteSpeechLanguage(deps.db, key, language);
  return language;
}

async function sendTranslations({ targets, ...wanted }: Transcription, { db, queue }: JobDeps): Promise<void> {
  const { libraryId, mediaId, language, force } = wanted;
  for (const target of targets) {
    const translation = { libraryId, mediaId, language, target, force };
    await inTransaction(db, queue.send(translateCaptions, translation, { onlyOneNamed: `${mediaId}/${target}` }));
  }
}

async function sendAgain(wanted: Sent, { db, queue }: JobDeps, delaySec: number): Promise<void> {
  const waitedSec = (wanted.waitedSec ?? 0) + delaySec;
  if (waitedSec > MAX_WAIT_SEC)
    throw new Refused('invalid', 'The audio or captions of the video were not ready within a day.');
  await inTransaction(db, queue.send(transcribeVideo, { ...wanted, waitedSec }, { delaySec }));
  await noteSpeechRun(db, runOf(wanted), { state: 'waiting' });
}

/** Publishes captions of a transcript. Returns the reason if there are none to publish, or an empty string. */
async function publish(
  key: MediaKey,
  { language, words }: SpokenText,
  { force, deps }: { force: boolean; deps: JobDeps },
  signal: AbortSignal,
): Promise<string> {
  const cues = buildCues(words, language);
  if (cues.length > 0) {
    await publishCues(key, { language, cues, force }, deps, signal);
    return '';
  }
  const reason = 'No speech was found, so no captions were generated.';
  await inTransaction(deps.db, (tx) => addMessages(tx, key, [transcriptionMessage(reason, new Date())]));
  return reason;
}
