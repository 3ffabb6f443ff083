import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { transcriptionMessage } from '../../catalog/lifecycle/messages.ts';
import { loadSpeechSource, mayTranscribe } from '../../catalog/speech/speech-store.ts';
import { Refused } from '../../lib/refused.ts';
import { buildCues } from '../../media/speech/build-cues.ts';
import { BadModelAnswer } from '../../media/transcript/model-answer.ts';
import { type Passage, toPassages } from '../../media/transcript/passage.ts';
import {
  CUES_AT_ONCE,
  readTranslations,
  translatedWords,
  translationInstructions,
  translationSchema,
} from '../../media/transcript/translation.ts';
import { EngineBusy } from '../../ports/engine-busy.ts';
import type { LanguageModel } from '../../ports/language-model.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { growingPauseSec } from '../queue/growing-pause.ts';
import { askModel } from './ask-model.ts';
import { publishCues } from './publish-cues.ts';
import { chooseTrack, readTrack } from './read-track.ts';

/** `language` is the speaker's language. Null selects any captions. `target` is the language of the translation. */
export type Translation = MediaKey & { language: string | null; target: string; force: boolean };

const MAX_WAIT_SEC = 24 * 3600;

/**
 * Cues that were translated before the model was busy: the texts of the first cues of the track whose object is `of`.
 */
type Part = { of: string; texts: readonly string[] };
/** `stuckSec` is the time for which the model has made no progress, in seconds. */
type Payload = Translation & { waitedSec?: number; stuckSec?: number; part?: Part };

/** Thrown if the model is busy. `part` has the cues translated so far. */
class Interrupted extends Error {
  readonly part: Part;
  readonly retryAfterSec: number;

  constructor(part: Part, cause: EngineBusy) {
    super('The language model is busy.', { cause });
    this.part = part;
    this.retryAfterSec = cause.retryAfterSec;
  }
}

/**
 * Translates captions with the language model. Never replaces captions written by people. Idempotent. If the model is
 * busy, the job continues later with the first cue that is not translated yet.
 */
export const translateCaptions = defineJob<Payload, JobDeps>({
  name: 'translate-captions',
  // The job mostly waits for the model.
  queue: 'fetch',
  retryLimit: 4,
  async run(wanted, deps, signal) {
    try {
      await translate(wanted, deps, signal);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      await sendAgain(wanted, error, deps);
    }
  },
  async giveUp(wanted, deps, reason) {
    const message = transcriptionMessage(`Captions in "${wanted.target}" could not be created: ${reason}`, new Date());
    await inTransaction(deps.db, (tx) => addMessages(tx, wanted, [message]));
  },
});

/**
 * Sends the job again. Uses the pause that the model requests as long as there is progress, and growing pauses
 * otherwise.
 */
async function sendAgain(wanted: Payload, { part, retryAfterSec }: Interrupted, deps: JobDeps): Promise<void> {
  const isStuck = part.of === wanted.part?.of && part.texts.length === wanted.part.texts.length;
  const before = isStuck ? (wanted.stuckSec ?? 0) : 0;
  const delaySec = Math.max(retryAfterSec, growingPauseSec(before));
  const waits = { waitedSec: (wanted.waitedSec ?? 0) + delaySec, stuckSec: before + delaySec };
  if (waits.waitedSec > MAX_WAIT_SEC) throw new Refused('invalid', 'The language model was busy for a whole day.');
  await inTransaction(deps.db, deps.queue.send(translateCaptions, { ...wanted, ...waits, part }, { delaySec }));
}

async function translate(wanted: Payload, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const key: MediaKey = { libraryId: wanted.libraryId, mediaId: wanted.mediaId };
  const { language, target, force } = wanted;
  const model = deps.languageModel;
  const { captions } = await loadSpeechSource(deps.db, key);
  const track = chooseTrack(captions, language);
  if (track === null) throw new Refused('invalid', 'There are no captions to translate.');
  const from = track.srclang.slice(0, 2).toLowerCase();
  if (from === target || !mayTranscribe(captions, target, force)) return;
  if (model === null) {
    throw new Refused('invalid', 'A translation needs a language model. Set MILLRACE_LANGUAGE_MODEL_URL.');
  }
  const passages = toPassages(await readTrack(track, deps.storage, signal));
  const texts = wanted.part?.of === track.key ? [...wanted.part.texts] : [];
  while (texts.length < passages.length) {
    const some = passages.slice(texts.length, texts.length + CUES_AT_ONCE);
    try {
      texts.push(...(await translateSome(model, { passages: some, from, target }, signal)));
    } catch (error) {
      throw error instanceof EngineBusy ? new Interrupted({ of: track.key, texts }, error) : error;
    }
  }
  const cues = buildCues(translatedWords(passages, texts, target), target);
  await publishCues(key, { language: target, cues, force, translatedFrom: track.srclang }, deps, signal);
}

type Some = { passages: readonly Passage[]; from: string; target: string };

/** Translates some passages. If the model returns a wrong number of passages, sends fewer per request. */
async function translateSome(model: LanguageModel, some: Some, signal: AbortSignal): Promise<string[]> {
  const { passages, from, target } = some;
  const count = passages.length;
  const request = {
    name: 'translations',
    instructions: translationInstructions(from, target, count),
    data: JSON.stringify(passages.map(({ text }) => text)),
    schema: translationSchema(count),
  };
  try {
    return await askModel(model, { request, read: (answer) => readTranslations(answer, count) }, signal);
  } catch (error) {
    if (!(error instanceof BadModelAnswer) || count === 1) throw error;
    const half = Math.ceil(count / 2);
    const first = await translateSome(model, { ...some, passages: passages.slice(0, half) }, signal);
    return [...first, ...(await translateSome(model, { ...some, passages: passages.slice(half) }, signal))];
  }
}
