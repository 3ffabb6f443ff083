import type { Tx } from '../../catalog/db.ts';
import { commitChunks, type RenditionOutput } from '../../catalog/encoding/chunk-store.ts';
import type { EncodePlan, PlannedRendition } from '../../catalog/encoding/encode-plan.ts';
import type { Work } from '../../catalog/encoding/work.ts';
import { claimWork, releaseWork } from '../../catalog/encoding/work-store.ts';
import { countAudioSegments } from '../../media/cmaf/sound-grid.ts';
import type { Mp4Index } from '../../media/pass-through/mp4-index.ts';
import type { PassThroughPlan } from '../../media/pass-through/plan-pass-through.ts';
import { type OpenFile, readSegment } from '../encode/read-pass-through.ts';
import type { FirstSound } from '../encode/read-sound.ts';
import type { ChunkWriter } from '../encode/store-chunk.ts';

/** A source of which segments are copied. */
export type CopySource = { file: OpenFile; index: Mp4Index; plan: PassThroughPlan };

/** Objects that are stored before the plan that names them is; `isWhole`: they are all that their work makes. */
export type FirstChunk = {
  work: Work;
  writer: ChunkWriter;
  output: RenditionOutput;
  isWhole: boolean;
};

/** The plan's first work of a kind with its rendition. */
export function findFirst(plan: EncodePlan, kind: Work['kind']): { work: Work; rendition: PlannedRendition } | null {
  const works = plan.timelines.flatMap((timeline) => timeline.works);
  const renditions = plan.timelines.flatMap((timeline) => timeline.renditions);
  const work = works.find((candidate) => candidate.kind === kind && candidate.isFirst);
  const rendition = renditions.find(({ id }) => id === work?.renditionIds[0]);
  return work === undefined || rendition === undefined ? null : { work, rendition };
}

/** Stores the first chunk of what passes through. */
export async function copyFirstPictures(
  { work, rendition }: { work: Work; rendition: PlannedRendition },
  source: CopySource,
  writer: ChunkWriter,
  signal: AbortSignal,
): Promise<FirstChunk> {
  if (rendition.listed === null) throw new Error(`Expected rendition ${rendition.id} to be known as a whole.`);
  for (let n = work.fromSegment; n < work.toSegment; n += 1) {
    await writer.add(await readSegment(source.file, source, n), signal);
  }
  const size = { widthPx: null, heightPx: null };
  const output = { renditionId: rendition.id, ...rendition.listed, ...size, chunks: await writer.flush(signal) };
  return { work, writer, output, isWhole: true };
}

/** Whether a first segment of sound is that of the rendition, and not also its last, which may end elsewhere. */
export function fitsRendition(sound: FirstSound | null, { plan }: PlannedRendition): sound is FirstSound {
  return sound !== null && sound.streamIndex === plan.streamIndex && countAudioSegments(plan.durationSec) > 1;
}

/** Stores the first segment of the sound as a chunk. */
export async function storeSound(
  { work, rendition }: { work: Work; rendition: PlannedRendition },
  sound: FirstSound,
  writer: ChunkWriter,
  signal: AbortSignal,
): Promise<FirstChunk> {
  await writer.add(sound.segment, signal);
  const { bytes: init, facts } = sound.init;
  const common = { renditionId: rendition.id, init, codecString: facts.codecString, widthPx: null, heightPx: null };
  return { work, writer, output: { ...common, chunks: await writer.flush(signal) }, isWhole: false };
}

/**
 * Publishes a first chunk in the transaction that wrote its plan. The rest of its work is left to whoever takes it.
 */
export async function publishFirstChunk(tx: Tx, first: FirstChunk, owner: string): Promise<void> {
  const claim = await claimWork(tx, first.work.key, first.work.id, owner);
  if (claim === null) throw new Error('Expected to claim a work that was just planned, it is not there.');
  await commitChunks(tx, claim, { outputs: [first.output], isLast: first.isWhole });
  if (!first.isWhole) await releaseWork(tx, claim);
}
