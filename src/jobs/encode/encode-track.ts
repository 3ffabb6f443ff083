import { stat } from 'node:fs/promises';
import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { findStored } from '../../catalog/lifecycle/chunk-store.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { lostAudioMessage } from '../../catalog/lifecycle/messages.ts';
import { saveLoudness } from '../../catalog/renditions/loudness-store.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { publishesGrowing } from '../../catalog/tasks/task-kind.ts';
import { loadTaskRenditions, loadTaskView, type TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import { type AudioJob, planAudioCopy, planAudioEncode } from '../../media/encode/encode-audio.ts';
import { timelineOriginSec } from '../../media/encode/encode-filters.ts';
import { gainFor, type Loudness, readLoudness } from '../../media/encode/loudness.ts';
import { type MendedAudio, runMendedAudio } from '../../media/encode/run-mended-audio.ts';
import { type FfmpegOptions, type FfmpegRun, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { probeSource } from '../../media/probe/run-probe.ts';
import type { AudioFacts } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import { type HeldTask, throughPause } from '../queue/run-task.ts';
import { openPlanned } from './open-planned.ts';
import { publishChunks } from './publish-chunks.ts';
import { type AudioInit, type AudioPart, readAudio, readCopiedAudio } from './read-audio.ts';
import type { LocalSource } from './source-cache.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/**
 * Number of segments in the first chunk, which is small so that playback can start, and in later chunks. A segment
 * lasts about 4 s.
 */
const FIRST_SEGMENTS = 1;
const NEXT_SEGMENTS = 8;

/**
 * Encodes a range of an audio track and publishes it in growing chunks. The encoder always begins at the start of the
 * track, so that ranges join seamlessly.
 */
export async function encodeTrack(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { task } = held.claim;
  const { rendition, source, track, originSec } = await openTrack(deps, task, signal);
  const ended = new AbortController();
  try {
    const niceness = task.queue === 'long' ? 10 : 0;
    const { durationSec, form } = rendition.plan;
    const options = { sourcePath: source.local.path, sourceDurationSec: source.durationSec, niceness };
    const wanted = { track, audio: { durationSec, originSec, form } };
    // After a failure, assume that the source is damaged.
    const isMended = held.claim.failures > 0;
    const gainDb = await chooseGain({ wanted, isMended, options, rendition, key: task.key }, deps, signal);
    const isCopied = rendition.plan.copiesAudio === true && !isMended && (gainDb ?? 0) === 0;
    const start = isMended ? runMendedAudio : isCopied ? runCopiedAudio : runWholeAudio;
    const begun = { track, audio: { ...wanted.audio, ...(gainDb !== null && { gainDb }) } };
    const { run, lostSec } = await start(begun, options, AbortSignal.any([signal, ended.signal]));
    try {
      const parts = isCopied ? readCopiedAudio(run, wanted.audio) : readAudio(run);
      const atEnd = async () => {
        if (gainDb === null) await keepLoudness(run, { key: task.key, rendition }, deps);
      };
      await publishTrack({ held, deps, rendition, run, parts, atEnd }, signal);
      await reportLoss(deps, task.key, { lostSec: lostSec(), durationSec });
    } finally {
      // A range may end before the encoder does.
      ended.abort();
      for (const output of run.outputs) output.destroy();
      await run.done.catch(() => undefined);
    }
  } finally {
    await source.local.release();
  }
}

/** An audio track and the file that contains it. `originSec` is the time in the file at which the timeline begins. */
type OpenTrack = {
  rendition: TaskRendition;
  source: { local: LocalSource; durationSec: number };
  track: AudioFacts;
  originSec: number;
};

async function openTrack(deps: JobDeps, task: EncodeTask, signal: AbortSignal): Promise<OpenTrack> {
  const [rendition] = await loadTaskRenditions(deps.db, task);
  if (rendition === undefined) throw new LeaseLost();
  if (rendition.plan.added !== undefined) return openAdded({ rendition, ...rendition.plan.added }, deps, signal);
  const view = await loadTaskView(deps.db, task);
  if (view === null) throw new LeaseLost();
  const track = view.facts.audio.find(({ streamIndex }) => streamIndex === rendition.plan.streamIndex);
  if (track === undefined) throw new Error(`Expected audio in stream ${rendition.plan.streamIndex}, found none.`);
  const local = await openPlanned(deps.sources, view, signal);
  const originSec = timelineOriginSec(view.facts, view.cutList.grid.kind);
  return { rendition, source: { local, durationSec: view.facts.durationSec }, track, originSec };
}

/** Opens the first audio stream of an added file. The file is probed here, because it is not used for anything else. */
async function openAdded(
  { rendition, sourceKey }: { rendition: TaskRendition; sourceKey: StorageKey },
  { sources }: JobDeps,
  signal: AbortSignal,
): Promise<OpenTrack> {
  const stored = await sources.open(sourceKey, signal);
  try {
    const facts = await probeSource(stored.path, (await stat(stored.path)).size, signal);
    if ('kind' in facts) throw new Error(facts.message);
    const [track] = facts.audio;
    if (track === undefined) throw new Error('Expected a file with audio, found none that can be decoded.');
    const local = await openPlanned(sources, { sourceKey, facts }, signal);
    const durationSec = Math.max(facts.durationSec, rendition.plan.durationSec);
    return { rendition, source: { local, durationSec }, track, originSec: facts.startSec };
  } finally {
    await stored.release();
  }
}

type Wanted = { track: AudioFacts; audio: AudioJob };
type KeptFor = { key: MediaKey; rendition: TaskRendition };

/**
 * Returns the gain of a track in dB. A track to be normalised is measured first, unless it was measured before. The
 * gain of other tracks is 0. Returns null for a track that is not normalised and not measured yet: the encode measures
 * it.
 */
async function chooseGain(
  {
    wanted,
    isMended,
    options,
    ...kept
  }: KeptFor & {
    wanted: Wanted;
    isMended: boolean;
    options: FfmpegOptions & { sourcePath: string };
  },
  deps: JobDeps,
  signal: AbortSignal,
): Promise<number | null> {
  const { loudness, plan } = kept.rendition;
  const targetLufs = plan.loudnessTargetLufs;
  if (targetLufs === undefined) return loudness === null ? null : 0;
  if (loudness !== null) return gainFor(loudness, targetLufs);
  const measure = isMended ? runMendedAudio : runWholeAudio;
  const { run } = await measure({ ...wanted, audio: { ...wanted.audio, isMeasured: true } }, options, signal);
  const measured = await keepLoudness(run, kept, deps);
  return measured === null ? 0 : gainFor(measured, targetLufs);
}

async function keepLoudness(run: FfmpegRun, { key, rendition }: KeptFor, deps: JobDeps): Promise<Loudness | null> {
  const loudness = readLoudness((await run.done).messages);
  if (loudness !== null) await throughPause(() => saveLoudness(deps.db, key, rendition.id, loudness));
  return loudness;
}

async function runWholeAudio(
  { track, audio }: Wanted,
  options: FfmpegOptions,
  signal: AbortSignal,
): Promise<MendedAudio> {
  const run = await runFfmpeg(planAudioEncode(track, audio), options, signal);
  return { run, lostSec: () => 0 };
}

async function runCopiedAudio(
  { track, audio }: Wanted,
  options: FfmpegOptions,
  signal: AbortSignal,
): Promise<MendedAudio> {
  const run = await runFfmpeg(planAudioCopy(track, audio), options, signal);
  return { run, lostSec: () => 0 };
}

async function reportLoss(deps: JobDeps, key: MediaKey, lost: { lostSec: number; durationSec: number }): Promise<void> {
  if (lost.lostSec === 0) return;
  await inTransaction(deps.db, (tx) => addMessages(tx, key, [lostAudioMessage(lost, new Date())]));
}

type TrackJob = {
  held: HeldTask;
  deps: JobDeps;
  rendition: TaskRendition;
  run: FfmpegRun;
  parts: AsyncIterable<AudioPart>;
  /**
   * Called after the output of the encoder was read completely, and before the task ends, which may complete the track.
   */
  atEnd: () => Promise<void>;
};

async function publishTrack(job: TrackJob, signal: AbortSignal): Promise<void> {
  const { claim, report } = job.held;
  const { fromSegment, toSegment, key, kind } = claim.task;
  const { id, isOnDemand } = job.rendition;
  const writer = createChunkWriter({
    ...{ storage: job.deps.storage, key, renditionId: id, attempt: claim.attempt },
    ...(isOnDemand && { findTaken: (range) => findStored(job.deps.db, id, range) }),
  });
  // Segments that were made on demand can be anywhere in the range, so the writer skips them one by one.
  const publishedTo = isOnDemand ? fromSegment : job.rendition.publishedTo;
  let init: AudioInit | null = null;
  let nextFlush = publishesGrowing(kind) ? chunkEnd(publishedTo) : toSegment;

  async function publish(isLast: boolean): Promise<void> {
    if (init === null) throw new Error('Expected an init segment from the encoder, got none.');
    const chunks = await writer.flush(signal);
    const { codecString } = init.facts;
    const output = { renditionId: id, init: init.bytes, codecString, widthPx: null, heightPx: null, chunks };
    await publishChunks(job.deps, claim, { outputs: [output], isLast });
    writer.committed(chunks);
  }

  try {
    for await (const item of job.parts) {
      if (item.kind === 'init') {
        init = item;
        continue;
      }
      const end = item.segment.number + 1;
      if (end > publishedTo) await writer.add(item.segment, signal);
      report((end - fromSegment) / (toSegment - fromSegment));
      const endsPart = end === toSegment && toSegment < countAudioSegments(job.rendition.plan.durationSec);
      if (endsPart) return await publish(true);
      if (end === nextFlush && nextFlush < toSegment) {
        await publish(false);
        nextFlush = chunkEnd(nextFlush);
      }
    }
    await job.run.done;
    await job.atEnd();
    await publish(true);
  } catch (error) {
    await discardAfter(error, job.deps, writer.written);
    throw error;
  }
}

function chunkEnd(fromSegment: number): number {
  return fromSegment < FIRST_SEGMENTS ? FIRST_SEGMENTS : fromSegment + NEXT_SEGMENTS;
}
