import { createReadStream } from 'node:fs';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { nextAttempt, replaceChunk } from '../../catalog/scrub/repair-store.ts';
import { loadTaskView, type TaskRendition, type TaskView } from '../../catalog/tasks/task-view-store.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { planAudioEncode } from '../../media/encode/encode-audio.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { encodeRungs } from '../encode/encode-rungs.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { type AudioInit, readAudio } from '../encode/read-audio.ts';
import { endRun } from '../encode/read-encoded-video.ts';
import { openRanges, readSegment, replanPassThrough } from '../encode/read-pass-through.ts';
import { type ChunkWriter, createChunkWriter, discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import { LeaseLost } from '../queue/hold-lease.ts';
import type { HeldTask } from '../queue/run-task.ts';

const READ_BYTES = 2 ** 20;

type Repair = {
  held: HeldTask;
  deps: JobDeps;
  view: TaskView;
  rendition: TaskRendition;
  writer: ChunkWriter;
  path: string;
};

/** Makes one damaged chunk of a finished video anew from its original, while all else of it goes on being shown. */
export async function repair(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { claim } = held;
  const found = await loadTaskView(deps.db, claim.task);
  const [only] = found?.renditions ?? [];
  if (found === null) throw new Error('Expected the original file to be there, it is gone.');
  if (only === undefined) throw new LeaseLost();
  // What is there counts as missing: it is damaged.
  const rendition = { ...only, isOnDemand: false };
  const view = { ...found, renditions: [rendition] };
  const attempt = await nextAttempt(deps.db);
  const place = { storage: deps.storage, key: claim.task.key, renditionId: rendition.id, attempt };
  const writer = createChunkWriter(place);
  const local = await openPlanned(deps.sources, view, signal);
  try {
    await expectAudio(view, local.path, signal);
    const output = await make({ held, deps, view, rendition, writer, path: local.path }, signal);
    const made = { output, attempt, sourceKey: view.sourceKey };
    const isTaken = await inTransaction(deps.db, (tx) => replaceChunk(tx, claim, made));
    if (!isTaken) await discardObjects(deps.storage, writer.written, deps.report);
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  } finally {
    await local.release();
  }
}

/** What one medium did to a chunk it may have done to the original: a copy of that would pass for the video. */
async function expectAudio({ sourceSha256 }: TaskView, path: string, signal: AbortSignal): Promise<void> {
  if (sourceSha256 === null) return;
  const sha256 = await sha256Of(createReadStream(path, { signal, highWaterMark: READ_BYTES }));
  if (!sha256.equals(sourceSha256)) throw new Error('the original file is damaged as well: its SHA-256 changed');
}

async function make(job: Repair, signal: AbortSignal): Promise<RenditionOutput> {
  const { held, deps, view, rendition, writer, path } = job;
  if (rendition.kind === 'audio') return makeAudio(job, signal);
  if (rendition.isPassThrough) return copyPictures(job, signal);
  const range = { claim: held.claim, deps, view, path, writers: [writer], report: held.report, publish: null };
  const [output] = await encodeRungs(range, signal);
  if (output === undefined) throw new Error(`Expected pictures of rendition ${rendition.id}, none came.`);
  return output;
}

async function copyPictures(
  { held, view, rendition, writer, path }: Repair,
  signal: AbortSignal,
): Promise<RenditionOutput> {
  if (rendition.listed === null) throw new Error(`Expected rendition ${rendition.id} to have an init segment.`);
  const { fromSegment, toSegment } = held.claim.task;
  const file = await openRanges(path);
  try {
    const source = await replanPassThrough(file, view.facts, signal);
    for (let n = fromSegment; n < toSegment; n += 1) await writer.add(await readSegment(file, source, n), signal);
  } finally {
    await file.close();
  }
  const chunks = await writer.flush(signal);
  return { renditionId: rendition.id, ...rendition.listed, widthPx: null, heightPx: null, chunks };
}

/** Sound is encoded from its beginning, as it was, so that it joins what stands on both sides. */
async function makeAudio(
  { held, deps, view, rendition, writer, path }: Repair,
  signal: AbortSignal,
): Promise<RenditionOutput> {
  const { fromSegment, toSegment } = held.claim.task;
  const track = view.facts.audio.find(({ streamIndex }) => streamIndex === rendition.plan.streamIndex);
  if (track === undefined) throw new Error(`Expected sound in stream ${rendition.plan.streamIndex}, found none.`);
  const { durationSec, normaliseLoudness = false } = rendition.plan;
  const plan = planAudioEncode(view.facts, track, { durationSec, normaliseLoudness });
  const stop = new AbortController();
  const { encoderMemoryBytes: memoryBytes } = deps;
  const options = { sourcePath: path, sourceDurationSec: view.facts.durationSec, niceness: 10, memoryBytes };
  const run = await runFfmpeg(plan, options, AbortSignal.any([signal, stop.signal]));
  let init: AudioInit | null = null;
  try {
    for await (const item of readAudio(run)) {
      if (item.kind === 'init') init = item;
      else if (item.segment.number >= toSegment) break;
      else if (item.segment.number >= fromSegment) await writer.add(item.segment, signal);
    }
  } finally {
    await endRun(run, stop);
  }
  if (init === null) throw new Error('Expected an init segment from the encoder, none came.');
  const chunks = await writer.flush(signal);
  const { bytes, facts } = init;
  return {
    renditionId: rendition.id,
    init: bytes,
    codecString: facts.codecString,
    widthPx: null,
    heightPx: null,
    chunks,
  };
}
