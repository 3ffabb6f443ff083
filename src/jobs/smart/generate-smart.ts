import type { MediaKey, Tx } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { warningMessage } from '../../catalog/lifecycle/messages.ts';
import { SMART_FEATURES } from '../../catalog/smart/smart.ts';
import type { SmartFeature } from '../../catalog/smart/smart-schema.ts';
import {
  beginSmart,
  failSmart,
  loadSmartSource,
  requestSmart,
  type SmartSource,
  storeSmart,
} from '../../catalog/smart/smart-store.ts';
import { loadSpeechRun } from '../../catalog/speech/speech-run-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { toPassages } from '../../media/transcript/passage.ts';
import { EngineBusy } from '../../ports/engine-busy.ts';
import { NO_ENGINE } from '../../ports/transcriber.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob, type Queue, type SendOptions } from '../queue/define-job.ts';
import { growingPauseSec } from '../queue/growing-pause.ts';
import { chooseTrack, readTrack } from '../speech/read-track.ts';
import { requestTranscription } from '../speech/transcribe-video.ts';
import { generateTexts } from './generate-texts.ts';
import { readEvidence } from './read-evidence.ts';

/** A request for generated texts of a video. `language` is the speaker's language. Null selects any captions. */
export type SmartRequest = MediaKey & { request: Guid; language: string | null };

const MAX_WAIT_SEC = 24 * 3600;

type Payload = SmartRequest & { waitedSec?: number; isTranscribing?: boolean };

/**
 * Generates the requested texts of a video from its captions: title, description, chapters and moments. Transcribes a
 * video without captions first. Idempotent: if the results of a request are already stored, nothing is done.
 */
export const generateSmart = defineJob<Payload, JobDeps>({
  name: 'generate-smart',
  // The job mostly waits for a model or for captions.
  queue: 'fetch',
  retryLimit: 4,
  async run(payload, deps, signal) {
    const key: MediaKey = { libraryId: payload.libraryId, mediaId: payload.mediaId };
    const source = await loadSmartSource(deps.db, key, payload.request);
    if (source === null || source.open.length === 0) return;
    if (payload.isTranscribing === true && (await isUnderWay(key, deps)))
      return await sendAgain(payload, deps, pauseSec(payload));
    const track = chooseTrack(source.captions, payload.language);
    if (track === null) return await waitForCaptions(payload, source, deps);
    await beginSmart(deps.db, key, payload.request);
    const passages = toPassages(await readTrack(track, deps.storage, signal));
    // Loaded when needed, because of its stop words of 40 languages.
    const { readTranscript } = await import('../../media/transcript/transcript.ts');
    const transcript = readTranscript(passages, track.srclang.slice(0, 2).toLowerCase(), source.durationSec);
    if (transcript.sentences.length === 0)
      throw new Refused('invalid', `Its captions "${track.srclang}" contain no words.`);
    try {
      const wanted = { features: source.open, transcript, model: deps.languageModel };
      const evidence = () => readEvidence(key, source.durationSec, deps, signal);
      const generated = await generateTexts({ ...wanted, readEvidence: evidence }, signal);
      await storeSmart(deps.db, key, payload.request, generated);
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      await sendAgain(payload, deps, Math.max(error.retryAfterSec, pauseSec(payload)));
    }
  },
  async giveUp(payload, deps, reason) {
    const key: MediaKey = { libraryId: payload.libraryId, mediaId: payload.mediaId };
    const message = warningMessage(`Texts could not be generated: ${reason}`, new Date());
    await failSmart(deps.db, key, payload.request, message);
  },
});

/**
 * Features that were requested for a video. `isTranscribing`: a transcription was requested together with them, and
 * must finish first.
 */
export type SmartOrder = {
  key: MediaKey;
  features: readonly SmartFeature[];
  language: string | null;
  isTranscribing?: boolean;
};

/** Records the requested features of a video and sends the job in the same transaction. */
export async function sendSmart(
  tx: Tx,
  queue: Queue,
  { key, features, language, isTranscribing = false }: SmartOrder,
  options: SendOptions = {},
): Promise<void> {
  const send = (request: Guid) => queue.send(generateSmart, { ...key, request, language, isTranscribing }, options);
  await requestSmart(tx, key, features, send);
}

/** Returns the features enabled by flags. A missing flag uses the fallback. */
export function featuresOf(flags: Partial<Record<SmartFeature, boolean | null | undefined>>): SmartFeature[] {
  return SMART_FEATURES.filter((feature) => flags[feature] === true);
}

async function isUnderWay(key: MediaKey, { db }: JobDeps): Promise<boolean> {
  const run = await loadSpeechRun(db, key);
  return run?.state === 'waiting' || run?.state === 'running';
}

async function waitForCaptions(payload: Payload, source: SmartSource, deps: JobDeps): Promise<void> {
  const key: MediaKey = { libraryId: payload.libraryId, mediaId: payload.mediaId };
  if ((await deps.findTranscriber()) === null) throw new Refused('invalid', `The video has no captions. ${NO_ENGINE}`);
  const { hasAudio } = await loadSpeechSource(deps.db, key);
  const isEncoded = source.state === 'finished' || source.state === 'jit-ready';
  if (source.state === 'failed') throw new Refused('invalid', 'The video could not be encoded.');
  if (isEncoded && !hasAudio) throw new Refused('invalid', 'The video has no captions and no audio.');
  const run = payload.isTranscribing === true ? await loadSpeechRun(deps.db, key) : null;
  if (run?.state === 'failed') throw new Refused('invalid', `The video could not be transcribed: ${run.reason}`);
  if (run?.state === 'cancelled') throw new Refused('invalid', 'The transcription was cancelled.');
  if (run?.state === 'finished') throw new Refused('invalid', run.reason || 'No speech was found in the video.');
  const wanted = { ...key, language: payload.language, force: false, targets: [] };
  await inTransaction(deps.db, requestTranscription(deps.queue, wanted));
  await sendAgain({ ...payload, isTranscribing: true }, deps, pauseSec(payload));
}

function pauseSec({ waitedSec = 0 }: Payload): number {
  return growingPauseSec(waitedSec);
}

async function sendAgain(payload: Payload, { db, queue }: JobDeps, delaySec: number): Promise<void> {
  const waitedSec = (payload.waitedSec ?? 0) + delaySec;
  if (waitedSec > MAX_WAIT_SEC)
    throw new Refused('invalid', 'The audio or captions of the video were not ready within a day.');
  await inTransaction(db, queue.send(generateSmart, { ...payload, waitedSec }, { delaySec }));
}
