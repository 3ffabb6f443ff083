import { stat } from 'node:fs/promises';
import type { MediaKey, Tx } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { isLeaseLost, LeaseLost } from '../../catalog/leases/lease-lost.ts';
import type { EncodePlan } from '../../catalog/lifecycle/encode-plan.ts';
import { failureMessage, faultMessage } from '../../catalog/lifecycle/messages.ts';
import { savePlan } from '../../catalog/lifecycle/plan-store.ts';
import {
  claimProcess,
  failMedia,
  failWornOut,
  type ProcessClaim,
  postponeProcess,
  releaseProcess,
  renewProcess,
} from '../../catalog/lifecycle/process-store.ts';
import { FIRST_PRIORITY } from '../../catalog/tasks/encode-task.ts';
import { reasonOf } from '../../lib/mask-paths.ts';
import { Refused } from '../../lib/refused.ts';
import { chooseSubtitles } from '../../media/captions/subtitles.ts';
import { timelineOriginSec } from '../../media/encode/encode-filters.ts';
import { probeMended, probeSource } from '../../media/probe/run-probe.ts';
import { needsMending, type SourceFacts, type SourceFault } from '../../media/probe/source-facts.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { protectVideo } from '../encode/protect-video.ts';
import { copyFirstAudio, encodeFirstAudio, type FirstAudio } from '../encode/read-audio.ts';
import { type IndexedSource, indexSource, type OpenSource, openSource } from '../encode/read-pass-through.ts';
import { createChunkWriter, discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { underLease } from '../queue/hold-lease.ts';
import { postponementOf } from '../queue/postponement.ts';
import { sendSmart } from '../smart/generate-smart.ts';
import { requestTranscription } from '../speech/transcribe-video.ts';
import { choosePassThrough } from './choose-pass-through.ts';
import { chooseFeatures, chooseTranscription, spokenLanguage } from './choose-transcription.ts';
import { decideOnDemand } from './decide-on-demand.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { extractCaptions } from './extract-captions.ts';
import {
  type CopySource,
  copyFirstPictures,
  type FirstChunk,
  findFirst,
  fitsRendition,
  publishFirstChunk,
  storeAudio,
} from './first-chunks.ts';
import { planVideo } from './plan-video.ts';

/** A video whose original is stored. `reason` is only information for people who inspect the queue. */
export type VideoRef = MediaKey & { reason?: string };

/** Priority above that of all encoding work. */
const PLANNING_PRIORITY = 2 * FIRST_PRIORITY;

const PROCESSING_FAILED = 'processing-failed';

/**
 * Moves the next uploaded video to `transcoding` (on demand, to `jit-segmenting`): probes its original, decides what to
 * encode from it, and enqueues the tasks. A pass-through source is then playable except for its audio. A source that
 * cannot become a video fails, with the kind of the problem as `state_reason`.
 */
export const processVideo = defineJob<VideoRef, JobDeps>({
  name: 'process-video',
  queue: 'quick',
  // Planning runs before the copies and encodes of videos that are already planned.
  priority: PLANNING_PRIORITY,
  retryLimit: 5,
  async run(ref, deps, signal) {
    const key: MediaKey = { libraryId: ref.libraryId, mediaId: ref.mediaId };
    const answer = await claimProcess(deps.db, key, deps.owner);
    if (answer.heldSec !== null) await sendLater(ref, answer.heldSec, deps);
    if (answer.kind === 'over') return;
    const { claim } = answer;
    try {
      await underLease(
        () => renewProcess(deps.db, claim),
        (lease) => processSource(claim, deps, lease),
        signal,
      );
    } catch (error) {
      if (isLeaseLost(error)) return;
      const postponement = postponementOf(error);
      if (postponement !== null) {
        await postponeProcess(deps.db, claim, postponement);
        throw error;
      }
      if (!signal.aborted && (claim.isLastTry || error instanceof Refused)) return await endFailed(claim, deps, error);
      await releaseProcess(deps.db, claim);
      throw error;
    }
  },
  async giveUp(ref, deps, reason) {
    const key: MediaKey = { libraryId: ref.libraryId, mediaId: ref.mediaId };
    const message = failureMessage(reason, new Date());
    await inTransaction(deps.db, (tx) => failWornOut(tx, key, PROCESSING_FAILED, message));
  },
});

/**
 * Sends the job again later. Each job processes one video. Without another job, a video whose worker died would have to
 * wait for the sweep. The last job finds no expired lease, because a lease is only renewed during planning.
 */
async function sendLater(ref: VideoRef, sec: number, { db, queue }: JobDeps): Promise<void> {
  await inTransaction(db, queue.send(processVideo, ref, { delaySec: Math.ceil(sec) }));
}

async function endFailed({ key }: ProcessClaim, deps: JobDeps, error: unknown): Promise<void> {
  deps.report(new Error(`Video ${key.mediaId} could not be planned.`, { cause: error }));
  const message = failureMessage(reasonOf(error), new Date());
  await inTransaction(deps.db, (tx) => failMedia(tx, key, PROCESSING_FAILED, message));
}

async function processSource(claim: ProcessClaim, deps: JobDeps, signal: AbortSignal): Promise<void> {
  await protectVideo(claim.key, deps.packager, signal);
  const file = await openSource(deps.sources, claim.sourceKey, signal);
  const early = new AbortController();
  try {
    const indexing = indexSource(file, signal);
    const settings = readEncodeSettings(claim.librarySettings, claim.uploadOptions, claim.presentCodecs);
    const isLevelled = settings.loudnessTargetLufs !== null;
    const begun = { path: file.path, indexing };
    const audio = isLevelled ? Promise.resolve(null) : startFirstAudio(begun, AbortSignal.any([signal, early.signal]));
    // Indexing checks every sample against the file size, so its success means that the file is complete. Its error is
    // reported below.
    const isWhole = indexing.then(
      (found) => found !== null,
      () => false,
    );
    const [facts, indexed] = await Promise.all([probeOriginal({ file, claim, isWhole }, deps, signal), indexing]);
    if ('kind' in facts) {
      await inTransaction(deps.db, (tx) => failMedia(tx, claim.key, facts.kind, faultMessage(facts, new Date())));
      return;
    }
    const isCopyable = indexed !== null && settings.watermark === null;
    const passThrough = isCopyable ? choosePassThrough(indexed, facts, settings.ladder) : null;
    const onDemand = await decideOnDemand(settings.onDemand, { path: file.path, facts, indexed }, signal);
    const plan = planVideo({
      key: claim.key,
      facts,
      ...settings,
      ...onDemand,
      passThrough,
      sourceKey: claim.sourceKey,
      addedTracks: claim.addedTracks,
      isReplacement: claim.hasActiveTimeline,
      now: new Date(),
    });
    const source =
      indexed === null || passThrough === null ? null : { file, index: indexed.index, plan: passThrough.plan };
    await storePlan({ claim, deps, plan, source, audio }, signal);
  } finally {
    early.abort();
    await file.close();
  }
}

/** Probes an original or, if it needs repair, the repaired copy from which everything is encoded. */
async function probeOriginal(
  { file, claim, isWhole }: { file: OpenSource; claim: ProcessClaim; isWhole: Promise<boolean> },
  deps: JobDeps,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const facts = await probeSource(file.path, file.sizeBytes, signal, isWhole);
  if ('kind' in facts || !needsMending(facts)) return facts;
  const mended = await openPlanned(deps.sources, { sourceKey: claim.sourceKey, facts }, signal);
  try {
    const found = await probeMended(mended.path, (await stat(mended.path)).size, signal);
    if ('kind' in found) return found;
    const { sizeBytes, isJoined = false, leadBytes = 0 } = facts;
    const how = isJoined ? { isJoined } : { leadBytes };
    return { ...found, ...how, sizeBytes, warnings: [...facts.warnings, ...found.warnings] };
  } finally {
    await mended.release();
  }
}

/**
 * Starts to encode the audio before the probe has finished if the source may be passed through, because playback then
 * waits for the audio.
 */
async function startFirstAudio(
  begun: { path: string; indexing: Promise<IndexedSource | null> },
  signal: AbortSignal,
): Promise<FirstAudio | null> {
  try {
    const indexed = await begun.indexing;
    if (indexed === null) return null;
    const streamIndex = indexed.index.trackPosition === 0 ? 1 : 0;
    return await encodeFirstAudio(begun.path, streamIndex, signal);
  } catch {
    // The probe or the audio task will report the same problem.
    return null;
  }
}

type Planned = {
  claim: ProcessClaim;
  deps: JobDeps;
  plan: EncodePlan;
  source: (CopySource & { file: OpenSource }) | null;
  audio: Promise<FirstAudio | null>;
};

async function storePlan(planned: Planned, signal: AbortSignal): Promise<void> {
  const { claim, deps, plan } = planned;
  const stored: FirstChunk[] = [];
  try {
    const stores = [storeFirstPictures(planned, stored, signal), storeFirstAudio(planned, stored, signal)];
    const ends = await Promise.allSettled(stores);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    await inTransaction(deps.db, async (tx) => {
      if (!(await savePlan(tx, claim, plan))) throw new LeaseLost();
      for (const first of stored) await publishFirstChunk(tx, first, claim.owner);
      if (chooseSubtitles(plan.facts).length > 0) {
        await deps.queue.send(extractCaptions, claim.key, { onlyOneNamed: claim.key.mediaId })(tx);
      }
      await sendSpeech(tx, { claim, deps, plan });
    });
  } catch (error) {
    const written = stored.flatMap(({ writer }) => writer.written);
    await discardAfter(error, deps, written);
    throw error;
  }
}

/** Delay of the first speech job, in seconds. The audio is stored shortly after the plan. */
const SPEECH_DELAY_SEC = 5;

async function sendSpeech(tx: Tx, { claim, deps, plan }: Pick<Planned, 'claim' | 'deps' | 'plan'>): Promise<void> {
  const transcription = (await hasEngine(deps)) ? chooseTranscription(claim, plan.facts) : null;
  const delay = { delaySec: SPEECH_DELAY_SEC };
  if (transcription !== null) await requestTranscription(deps.queue, transcription, delay)(tx);
  const features = chooseFeatures(claim, plan.facts);
  const language = spokenLanguage(claim.uploadOptions);
  const isTranscribing = transcription !== null;
  if (features.length > 0) {
    await sendSmart(tx, deps.queue, { key: claim.key, features, language, isTranscribing }, delay);
  }
}

/** A misconfigured engine must not fail the upload. The transcription reports the problem. */
async function hasEngine({ findTranscriber }: Planned['deps']): Promise<boolean> {
  try {
    return (await findTranscriber()) !== null;
  } catch (error) {
    if (error instanceof Refused) return true;
    throw error;
  }
}

/**
 * Attempt number in names of objects stored before their encode task can be claimed. Claims have far higher numbers.
 */
const FIRST_ATTEMPT = 1;

/** Stores the pass-through rendition up to its first chunk before the plan is published. */
async function storeFirstPictures(planned: Planned, stored: FirstChunk[], signal: AbortSignal): Promise<void> {
  const { claim, deps, plan, source } = planned;
  const first = findFirst(plan, 'pass-through');
  if (first === null || source === null) return;
  const target = { storage: deps.storage, key: claim.key, renditionId: first.rendition.id, attempt: FIRST_ATTEMPT };
  const writer = createChunkWriter(target);
  try {
    stored.push(await copyFirstPictures(first, source, writer, signal));
  } catch (error) {
    await discardObjects(deps.storage, writer.written, deps.report);
    throw error;
  }
}

/** Stores the first audio segment, so that audio and video start together. Normalised audio is measured first. */
async function storeFirstAudio(planned: Planned, stored: FirstChunk[], signal: AbortSignal): Promise<void> {
  const { claim, deps, plan } = planned;
  const first = findFirst(plan, 'audio');
  if (first === null || planned.source === null || first.rendition.plan.loudnessTargetLufs !== undefined) return;
  // The audio was encoded for a timeline that starts at the start time of the source.
  const timeline = plan.timelines.find(({ id }) => id === first.task.timelineId);
  if (timelineOriginSec(plan.facts, timeline?.cutList.grid.kind ?? 'frames') !== 0) return;
  const { copiesAudio = false, streamIndex = -1, durationSec } = first.rendition.plan;
  const { path } = planned.source.file;
  const audio = copiesAudio ? await copyFirstAudio(path, { streamIndex, durationSec }, signal) : await planned.audio;
  if (!fitsRendition(audio, first.rendition, plan.facts)) return;
  const target = { storage: deps.storage, key: claim.key, renditionId: first.rendition.id, attempt: FIRST_ATTEMPT };
  const writer = createChunkWriter(target);
  try {
    stored.push(await storeAudio(first, audio, writer, signal));
  } catch (error) {
    await discardObjects(deps.storage, writer.written, deps.report);
    throw error;
  }
}
