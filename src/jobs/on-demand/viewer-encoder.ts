import { inTransaction } from '../../catalog/in-transaction.ts';
import { claimRun, endRun, failRun, findRequested, MAX_FAULTS, type RunClaim } from '../../catalog/jit/run-store.ts';
import { JIT_CHANNEL } from '../../catalog/jit/segment-request-store.ts';
import { LostClaim } from '../../catalog/lifecycle/chunk-store.ts';
import { addMessages } from '../../catalog/lifecycle/finalize-store.ts';
import { jitFailedMessage } from '../../catalog/lifecycle/messages.ts';
import { listen } from '../queue/listen.ts';
import { postponementOf } from '../queue/postponement.ts';
import { shareThreads } from '../queue/share-threads.ts';
import { makeSegments, type SegmentDeps } from './make-segments.ts';
import { RunControl, RunOver } from './run-control.ts';

/** Other work steps aside for so long after the last segment for viewers. */
const BUSY_AFTER_MS = 30_000;

/** Requests are looked for this often also without a notification: a connection may have died without a word. */
const LOOK_EVERY_MS = 5_000;

export type ViewerEncoderDeps = Omit<SegmentDeps, 'encoderThreads'> & {
  /** Names this process in leases. */
  owner: string;
  /** Encoders at once. */
  slots: number;
  /** Threads that all of them share. */
  threads: number;
  /** Requests are listened for beside it. */
  pool: Parameters<typeof listen>[0];
};

/** Makes segments for viewers for as long as it is open; `close` ends its encoders and gives back what they held. */
export type ViewerEncoder = {
  /** Whether it makes segments now, or did a moment ago. */
  servesViewers(): boolean;
  close(): Promise<void>;
};

/**
 * Starts to make what viewers request, so many segments at once, those that are awaited first. It takes what nobody
 * makes, over all machines; without a free slot it ends a run that only works ahead. Changes of requests wake it, and
 * edges repeat them while somebody waits, so nothing is asked for in vain.
 */
export async function startViewerEncoder(deps: ViewerEncoderDeps): Promise<ViewerEncoder> {
  const encoder = new Encoder(deps);
  const ear = await listen(deps.pool, JIT_CHANNEL, {
    onPayload: (renditionId) => encoder.receive(renditionId),
    onConnected: () => encoder.take(),
    onError: deps.report,
  });
  const looking = setInterval(() => encoder.take(), LOOK_EVERY_MS);
  return {
    servesViewers: () => encoder.servesViewers(),
    async close() {
      clearInterval(looking);
      await ear.close();
      await encoder.close();
    },
  };
}

type Run = { threads: number; ended: Promise<void> };

class Encoder {
  readonly #deps: ViewerEncoderDeps;
  readonly #runs = new Map<RunControl, Run>();
  #taking: Promise<void> | null = null;
  #isStale = false;
  #isClosing = false;
  #isDeaf = false;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ViewerEncoderDeps) {
    this.#deps = deps;
  }

  servesViewers(): boolean {
    return this.#runs.size > 0 || performance.now() - this.#lastMs < BUSY_AFTER_MS;
  }

  receive(renditionId: string): void {
    for (const control of this.#runs.keys()) if (control.claim.renditionId === renditionId) control.look();
    this.take();
  }

  /** Takes what is wished for. What is called meanwhile is done once more afterwards. */
  take(): void {
    if (this.#isClosing) return;
    if (this.#taking !== null) {
      this.#isStale = true;
      return;
    }
    this.#isStale = false;
    this.#taking = this.#takeAll()
      .then(() => {
        this.#isDeaf = false;
      })
      // Edges repeat their requests: what could not be read now is read then.
      .catch((cause: unknown) => this.#reportDeaf(cause))
      .finally(() => {
        this.#taking = null;
        if (this.#isStale) this.take();
      });
  }

  /** The first of a row: requests are looked for every few seconds. */
  #reportDeaf(cause: unknown): void {
    if (!this.#isDeaf) this.#deps.report(new Error('Requests of viewers could not be read.', { cause }));
    this.#isDeaf = true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#taking;
    for (const control of this.#runs.keys()) control.end('The worker is stopping.');
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  async #takeAll(): Promise<void> {
    const { db, owner, slots } = this.#deps;
    while (!this.#isClosing && this.#runs.size < slots) {
      const claim = await claimRun(db, owner);
      if (claim === null) return;
      this.#begin(claim);
    }
    const requested = this.#isClosing ? null : await findRequested(db);
    if (requested !== null) this.#makeRoom(requested.isAwaited);
  }

  /** The slot is free when the run has ended, which has requests taken again. */
  #makeRoom(isAwaited: boolean): void {
    const running = [...this.#runs.keys()];
    if (running.some(({ signal }) => signal.aborted)) return;
    const spare =
      running.find(({ isPaused }) => isPaused) ?? (isAwaited ? running.find((run) => !run.isAwaited) : null);
    spare?.end('Others need the slot more.');
  }

  #begin(claim: RunClaim): void {
    const control = new RunControl(this.#deps.db, claim);
    const threads = this.#threadsFor(claim);
    const ended = this.#run(control, threads)
      .catch((error: unknown) => this.#deps.report(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#runs.delete(control);
        this.#lastMs = performance.now();
        this.take();
      });
    this.#runs.set(control, { threads, ended });
    control.look();
  }

  /** Memory is the likeliest reason of a failure, and threads cost memory. */
  #threadsFor({ failures }: RunClaim): number {
    if (failures > 0) return 1;
    const others = [...this.#runs].map(([{ isPaused }, { threads }]) => ({ isPaused, threads }));
    return shareThreads(this.#deps.threads, others);
  }

  async #run(control: RunControl, encoderThreads: number): Promise<void> {
    const { claim } = control;
    let nextSegment = claim.fromSegment;
    try {
      await makeSegments(control, { ...this.#deps, encoderThreads }, (next) => {
        nextSegment = next;
      });
      await endRun(this.#deps.db, claim);
    } catch (error) {
      const isOver = error instanceof RunOver || error instanceof LostClaim || control.signal.aborted;
      if (isOver) await endRun(this.#deps.db, claim);
      else await this.#fail(claim, nextSegment, error);
    } finally {
      control.close();
    }
  }

  async #fail(claim: RunClaim, segment: number, error: unknown): Promise<void> {
    const isCounted = postponementOf(error) === null;
    const reason = error instanceof Error ? error.message : String(error);
    await inTransaction(this.#deps.db, async (tx) => {
      const fault = await failRun(tx, claim, { segment, reason, isCounted });
      // One line a rung: where one segment fails, others do.
      if (!isCounted || fault?.failures !== MAX_FAULTS || !fault.isFirst) return;
      const name = fault.rung === null ? 'Sound' : `${fault.rung}p`;
      await addMessages(tx, claim.key, [jitFailedMessage(name, segment, reason, new Date())]);
    });
    this.#deps.report(new Error(`Segment ${segment} of rendition ${claim.renditionId} failed.`, { cause: error }));
  }
}
