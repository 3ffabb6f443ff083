import type { Tx } from '../../catalog/db.ts';
import { commitChunks, type RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import type { EncodePlan, PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import { claimTask, releaseTask } from '../../catalog/tasks/claim-store.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import type { Mp4Index } from '../../media/pass-through/mp4-index.ts';
import type { PassThroughPlan } from '../../media/pass-through/plan-pass-through.ts';
import type { SourceFacts } from '../../media/probe/source-facts.ts';
import type { FirstAudio } from '../encode/read-audio.ts';
import { type OpenFile, readSegment } from '../encode/read-pass-through.ts';
import type { ChunkWriter } from '../encode/store-chunk.ts';

/** A pass-through source: the open file, its index and the plan by which its segments are copied. */
export type CopySource = { file: OpenFile; index: Mp4Index; plan: PassThroughPlan };

/**
 * Objects that are stored before the plan that refers to them is written. `isWhole`: they are the complete output of
 * the task.
 */
export type FirstChunk = {
  task: EncodeTask;
  writer: ChunkWriter;
  output: RenditionOutput;
  isWhole: boolean;
};

/** Returns the plan's first task of a kind, with its rendition. */
export function findFirst(
  plan: EncodePlan,
  kind: EncodeTask['kind'],
): { task: EncodeTask; rendition: PlannedRendition } | null {
  const tasks = plan.timelines.flatMap((timeline) => timeline.tasks);
  const renditions = plan.timelines.flatMap((timeline) => timeline.renditions);
  const task = tasks.find((candidate) => candidate.kind === kind && candidate.isFirst);
  const rendition = renditions.find(({ id }) => id === task?.renditionIds[0]);
  return task === undefined || rendition === undefined ? null : { task, rendition };
}

/** Stores the first chunk of the pass-through rendition. */
export async function copyFirstPictures(
  { task, rendition }: { task: EncodeTask; rendition: PlannedRendition },
  source: CopySource,
  writer: ChunkWriter,
  signal: AbortSignal,
): Promise<FirstChunk> {
  if (rendition.listed === null) throw new Error(`Expected rendition ${rendition.id} to be complete.`);
  for (let n = task.fromSegment; n < task.toSegment; n += 1) {
    await writer.add(await readSegment(source.file, source, n), signal);
  }
  const size = { widthPx: null, heightPx: null };
  const output = { renditionId: rendition.id, ...rendition.listed, ...size, chunks: await writer.flush(signal) };
  return { task, writer, output, isWhole: true };
}

/**
 * Returns whether a first audio segment, encoded from a track with at most two channels, can be used for the rendition.
 * It must not also be the last segment, whose end may differ.
 */
export function fitsRendition(
  audio: FirstAudio | null,
  { plan }: PlannedRendition,
  facts: Pick<SourceFacts, 'audio'>,
): audio is FirstAudio {
  const track = facts.audio.find(({ streamIndex }) => streamIndex === audio?.streamIndex);
  const isPlain = track !== undefined && track.channels <= 2 && track.rightStreamIndex === undefined;
  return (
    audio !== null && isPlain && audio.streamIndex === plan.streamIndex && countAudioSegments(plan.durationSec) > 1
  );
}

/** Stores the first audio segment as a chunk. */
export async function storeAudio(
  { task, rendition }: { task: EncodeTask; rendition: PlannedRendition },
  audio: FirstAudio,
  writer: ChunkWriter,
  signal: AbortSignal,
): Promise<FirstChunk> {
  await writer.add(audio.segment, signal);
  const { bytes: init, facts } = audio.init;
  const common = { renditionId: rendition.id, init, codecString: facts.codecString, widthPx: null, heightPx: null };
  return { task, writer, output: { ...common, chunks: await writer.flush(signal) }, isWhole: false };
}

/**
 * Publishes a first chunk in the transaction that writes its plan. The worker that claims the encode task encodes the
 * rest.
 */
export async function publishFirstChunk(tx: Tx, first: FirstChunk, owner: string): Promise<void> {
  const claim = await claimTask(tx, first.task.key, first.task.id, owner);
  if (claim === null) throw new Error(`Expected to claim the new encode task ${first.task.id}, but it was not found.`);
  await commitChunks(tx, claim, { outputs: [first.output], isLast: first.isWhole });
  if (!first.isWhole) await releaseTask(tx, claim);
}
