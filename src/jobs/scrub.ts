import { inTransaction } from '../catalog/in-transaction.ts';
import { requestRepair, tellDamage } from '../catalog/scrub/repair-store.ts';
import {
  endRound,
  findNextChunks,
  isEncoding,
  isInUse,
  noteScrubbed,
  type ScrubChunk,
} from '../catalog/scrub/scrub-store.ts';
import { checkChunk, type Damage, rebuildIndex } from './check-chunk.ts';
import { defineJob } from './define-job.ts';
import type { JobDeps } from './job-deps.ts';
import { sendWorks } from './send-works.ts';

/** Read in one run, once a minute: 4.5 MB/s at the most, a terabyte in three days. */
const BYTES_A_RUN = 256 * 2 ** 20;
const CHUNKS_AT_ONCE = 100;

type ScrubDeps = Pick<JobDeps, 'db' | 'storage' | 'queue' | 'report' | 'scrubBytes'>;

/**
 * Looks for damage in what is stored, a bounded number of bytes a run, while nobody waits for encoders: every chunk that
 * viewers may ask for is read and hashed once a week at most. A damaged index is made anew from its chunk, a damaged chunk
 * from the video's original; what cannot be is told in the video's messages. It goes on where the last run ended.
 */
export const scrub = defineJob<object, ScrubDeps>({
  name: 'scrub',
  lane: 'long',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_, deps, signal) {
    let leftBytes = deps.scrubBytes ?? BYTES_A_RUN;
    for (;;) {
      const chunks = await findNextChunks(deps.db, CHUNKS_AT_ONCE);
      if (chunks === null) return;
      if (chunks.length === 0) return await endRound(deps.db);
      for (const chunk of chunks) {
        // Work that comes meanwhile has this slot after the chunk at hand.
        if (leftBytes <= 0 || (await isEncoding(deps.db))) return;
        signal.throwIfAborted();
        const damage = await checkChunk(chunk, deps.storage, signal);
        if (damage !== null) await mend(chunk, damage, deps, signal);
        await noteScrubbed(deps.db, chunk, damage !== null);
        leftBytes -= chunk.sizeBytes;
      }
    }
  },
});

async function mend(chunk: ScrubChunk, damage: Damage, deps: ScrubDeps, signal: AbortSignal): Promise<void> {
  // Deleted, or replaced, while it was looked at.
  if (!(await isInUse(deps.db, chunk))) return;
  deps.report(new Error(`Chunk ${chunk.storageKey} is damaged: ${damage.what}.`));
  if (damage.kind === 'index') return await rebuildIndex(chunk, deps.storage, signal);
  const { key, renditionId, firstSegment, segmentCount } = chunk;
  await inTransaction(deps.db, async (tx) => {
    const answer = await requestRepair(tx, chunk);
    if (answer.kind === 'sent') await sendWorks(deps.queue, [answer.work])(tx);
    if (answer.kind !== 'told') return;
    const segments: [number, number] = [firstSegment, firstSegment + segmentCount - 1];
    await tellDamage(tx, key, { renditionId, segments, what: damage.what, reason: answer.reason });
  });
}
