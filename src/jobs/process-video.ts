import type { MediaKey, Tx } from '../catalog/db.ts';
import { commitChunks, LostClaim, type StoredChunk } from '../catalog/encoding/chunk-store.ts';
import type { EncodePlan, PlannedRendition } from '../catalog/encoding/encode-plan.ts';
import { failureMessage, faultMessage } from '../catalog/encoding/messages.ts';
import { savePlan } from '../catalog/encoding/plan-store.ts';
import {
  claimProcess,
  failMedia,
  type ProcessClaim,
  releaseProcess,
  renewProcess,
} from '../catalog/encoding/process-store.ts';
import type { Work } from '../catalog/encoding/work.ts';
import { claimWork } from '../catalog/encoding/work-store.ts';
import { probeSource } from '../media/run-probe.ts';
import type { StorageKey } from '../ports/storage.ts';
import { choosePassThrough } from './choose-pass-through.ts';
import { defineJob } from './define-job.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { LeaseLost, underLease, untilFree } from './hold-lease.ts';
import type { JobDeps } from './job-deps.ts';
import { planVideo } from './plan-video.ts';
import { type IndexedSource, indexSource, type OpenFile, openRanges, readSegment } from './read-pass-through.ts';
import { sendWorks } from './send-works.ts';
import { createChunkWriter, discardObjects } from './store-chunk.ts';

/** Names a video whose original is stored; `reason` is for people who read the queue. */
export type VideoRef = MediaKey & { reason?: string };

/**
 * Takes an uploaded video to `transcoding`: probes its original, decides what is made of it, and sends that
 * work. A source that passes through is playable when this ends, but for its sound. A source that cannot
 * become a video ends it as failed, with the fault's kind as `state_reason`.
 */
export const processVideo = defineJob<VideoRef, JobDeps>({
  name: 'process-video',
  lane: 'quick',
  retryLimit: 5,
  async run(ref, deps, signal) {
    const key: MediaKey = { libraryId: ref.libraryId, mediaId: ref.mediaId };
    const answer = await untilFree(() => claimProcess(deps.db, key, deps.owner), signal);
    if (answer.kind === 'over') return;
    const { claim } = answer;
    try {
      await underLease(
        () => renewProcess(deps.db, claim),
        (lease) => processSource(claim, deps, lease),
        signal,
      );
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof LostClaim) return;
      await releaseProcess(deps.db, claim);
      throw error;
    }
  },
  async giveUp(ref, deps, reason) {
    const key: MediaKey = { libraryId: ref.libraryId, mediaId: ref.mediaId };
    await deps.db
      .transaction()
      .execute((tx) => failMedia(tx, key, 'processing-failed', failureMessage(reason, new Date())));
  },
});

async function processSource(claim: ProcessClaim, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const local = await deps.sources.open(claim.sourceKey, signal);
  const file = await openRanges(local.path);
  try {
    const [facts, indexed] = await Promise.all([
      probeSource(local.path, file.sizeBytes, signal),
      indexSource(file, signal),
    ]);
    if ('kind' in facts) {
      await deps.db
        .transaction()
        .execute((tx) => failMedia(tx, claim.key, facts.kind, faultMessage(facts, new Date())));
      return;
    }
    const settings = readEncodeSettings(claim.librarySettings, claim.uploadOptions);
    const passThrough = indexed === null ? null : choosePassThrough(indexed, facts, settings.ladder);
    const plan = planVideo({
      key: claim.key,
      facts,
      ladder: settings.ladder,
      codec: settings.codec,
      passThrough,
      isReplacement: claim.hasActiveTimeline,
      now: new Date(),
    });
    const source =
      indexed === null || passThrough === null ? null : { file, index: indexed.index, plan: passThrough.plan };
    await storePlan({ claim, deps, plan, source }, signal);
  } finally {
    await file.close();
    await local.release();
  }
}

type Planned = {
  claim: ProcessClaim;
  deps: JobDeps;
  plan: EncodePlan;
  source: { file: OpenFile; index: IndexedSource['index']; plan: Parameters<typeof readSegment>[1]['plan'] } | null;
};

/** A stored first chunk of what passes through, with the work that it is the whole of. */
type FirstChunk = { work: Work; rendition: PlannedRendition; chunks: StoredChunk[]; written: readonly StorageKey[] };

async function storePlan(planned: Planned, signal: AbortSignal): Promise<void> {
  const { claim, deps, plan } = planned;
  const first = await storeFirstChunk(planned, signal);
  try {
    await deps.db.transaction().execute(async (tx) => {
      if (!(await savePlan(tx, claim, plan))) throw new LeaseLost();
      if (first !== null) await publishFirstChunk(tx, first, claim.owner);
      const works = plan.timelines.flatMap((timeline) => timeline.works);
      await sendWorks(
        deps.queue,
        works.filter((work) => work.id !== first?.work.id),
      )(tx);
    });
  } catch (error) {
    await discardObjects(deps.storage, first?.written ?? [], deps.report);
    throw error;
  }
}

/** Stores the first chunk of what passes through, so that it is there when the plan is published. */
async function storeFirstChunk(
  { claim, deps, plan, source }: Planned,
  signal: AbortSignal,
): Promise<FirstChunk | null> {
  const works = plan.timelines.flatMap((timeline) => timeline.works);
  const work = works.find(({ kind, isFirst }) => kind === 'pass-through' && isFirst);
  const renditions = plan.timelines.flatMap((timeline) => timeline.renditions);
  const rendition = renditions.find(({ id }) => id === work?.renditionIds[0]);
  if (work === undefined || rendition === undefined || source === null) return null;
  const place = { storage: deps.storage, key: claim.key, renditionId: rendition.id, attempt: FIRST_ATTEMPT };
  const writer = createChunkWriter(place);
  try {
    for (let n = work.fromSegment; n < work.toSegment; n += 1) {
      await writer.add(await readSegment(source.file, source, n), signal);
    }
    return { work, rendition, chunks: await writer.flush(signal), written: writer.written };
  } catch (error) {
    await discardObjects(deps.storage, writer.written, deps.report);
    throw error;
  }
}

const FIRST_ATTEMPT = 1;

async function publishFirstChunk(tx: Tx, { work, rendition, chunks }: FirstChunk, owner: string): Promise<void> {
  const answer = await claimWork(tx, work.key, work.id, owner);
  if (answer.kind !== 'claimed' || rendition.listed === null) {
    throw new Error(`Expected to claim the work that was just planned, got ${answer.kind}.`);
  }
  const { init, codecString } = rendition.listed;
  const output = { renditionId: rendition.id, init, codecString, widthPx: null, heightPx: null, chunks };
  await commitChunks(tx, answer.claim, { outputs: [output], isLast: true });
}
