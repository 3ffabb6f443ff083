import { LostClaim, TakenMeanwhile } from '../../catalog/encoding/chunk-store.ts';
import { failWork } from '../../catalog/encoding/fail-store.ts';
import { MEMORY_REASON } from '../../catalog/encoding/messages.ts';
import { claimInTurn } from '../../catalog/encoding/turn-store.ts';
import { type Claim, MAX_FAILURES } from '../../catalog/encoding/work.ts';
import { noteFailure, postponeWork, releaseWork, renewWork } from '../../catalog/encoding/work-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { FfmpegFailed } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { JobDeps } from '../job-deps.ts';
import { LeaseLost, underLease, untilFree } from '../queue/hold-lease.ts';
import { postponementOf } from '../queue/postponement.ts';
import { sendWorks, type WorkRef } from '../queue/send-works.ts';

/** A claimed work in progress. `tell` says how far it is, 0 to 1; the lease's renewal writes it down. */
export type HeldWork = { claim: Claim; tell: (fraction: number) => void };

/**
 * Claims the work that is next, keeps its lease while `perform` does it, and settles how it ended: an error is counted and
 * tried again up to three times, then the work fails with its reason; what is away outside the media makes the work
 * wait, with nothing counted and growing pauses; a lost claim ends quietly; a stopping worker gives the work back. What is over already is left alone, so doing it twice changes nothing.
 */
export async function holdWork(
  ref: WorkRef,
  deps: JobDeps,
  signal: AbortSignal,
  perform: (held: HeldWork, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const answer = await untilFree(() => claimInTurn(deps.db, ref.workId, deps.owner), signal);
  if (answer.kind === 'over') return;
  const { claim } = answer;
  if (answer.kind === 'worn-out') {
    await endFailed(deps, claim, 'Its worker died each time it was tried.');
    return;
  }
  let fraction = 0;
  const held: HeldWork = {
    claim,
    tell: (next) => {
      fraction = Math.max(fraction, next);
    },
  };
  try {
    await underLease(
      () => renewWork(deps.db, claim, fraction),
      (held_) => perform(held, held_),
      signal,
    );
  } catch (error) {
    await settleError(deps, claim, error, signal);
  }
}

async function settleError(deps: JobDeps, claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
  if (error instanceof LeaseLost || error instanceof LostClaim) return;
  if (signal.aborted) {
    await releaseWork(deps.db, claim);
    throw error;
  }
  if (error instanceof TakenMeanwhile) {
    await releaseWork(deps.db, claim);
    throw error;
  }
  const postponement = postponementOf(error);
  if (postponement !== null) {
    await postponeWork(deps.db, claim, postponement);
    throw error;
  }
  const reason = reasonOf(error);
  if (claim.failures + 1 >= MAX_FAILURES) {
    deps.report(new Error(`Work ${claim.work.id} of video ${claim.work.key.mediaId} failed.`, { cause: error }));
    await endFailed(deps, claim, reason);
    return;
  }
  // The queue starts it again after a pause; a claim lost meanwhile needs nothing more.
  if (await noteFailure(deps.db, claim, reason)) throw error;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof FfmpegFailed && error.kind === 'out-of-memory' ? `${MEMORY_REASON}${message}` : message;
}

async function endFailed(deps: JobDeps, claim: Claim, reason: string): Promise<void> {
  try {
    await inTransaction(deps.db, async (tx) => {
      await sendWorks(deps.queue, await failWork(tx, claim, reason))(tx);
    });
  } catch (error) {
    if (!(error instanceof LostClaim)) throw error;
  }
}
