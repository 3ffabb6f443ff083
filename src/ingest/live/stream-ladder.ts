import type { LadderState } from '../../catalog/live/live-stream.ts';
import type { LiveLadder } from '../../media/live/ladder/ladder-plan.ts';
import type { LivePart, LiveSegment } from '../../media/live/packaging/part-writer.ts';
import type { ShownFrame } from '../../media/live/packaging/video-packager.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';
import type { CoreBudget } from './core-budget.ts';
import { RungRun } from './rung-run.ts';

export type LadderDeps = {
  budget: CoreBudget;
  /** Creates the renditions of the rungs, or finds those of the period. Returns false if they differ. */
  open(configs: readonly TrackConfig[]): Promise<boolean>;
  /** `isLast` marks the last part of a segment. */
  part(rung: number, part: LivePart, isLast: boolean): void;
  segment(rung: number, segment: LiveSegment): void;
  /** Called if a rung lacks a segment that is complete in the source. */
  gap(rung: number, segment: number): void;
  /** Called when viewers need not wait for rungs any more, because the rungs exist or never will. */
  settled(): void;
  report(error: Error): void;
};

/** Maximum lag of a rung behind the source, in ms. With a larger lag, the rung skips the next segment. */
const MAX_LAG_MS = 1_500;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Time in ms without a crash after which the next pause is the shortest again. */
const STEADY_MS = 60_000;

/**
 * Encodes the rungs of one period in parallel with its source. Decides at each source segment whether to encode it. A
 * crashed encoder is restarted after a pause, an encoder that is behind skips segments, and no encoder is started
 * without free cores.
 */
export class StreamLadder {
  readonly #source: TrackConfig;
  readonly #ladder: LiveLadder;
  readonly #deps: LadderDeps;
  readonly #ending = new Set<RungRun>();
  #run: RungRun | null = null;
  #isOpen: boolean;
  #wasFed = false;
  /** Open segment of the source. `isFed`: its frames are sent to the encoder. */
  #segment: { number: number; tick: number; isDecided: boolean; isFed: boolean } | null = null;
  #state: LadderState;
  #failures = 0;
  #startedMs = 0;
  #retryAtMs = 0;

  /** `isOpen`: the period already has renditions of these rungs. */
  constructor(
    { source, ladder, isOpen }: { source: TrackConfig; ladder: LiveLadder; isOpen: boolean },
    deps: LadderDeps,
  ) {
    this.#source = source;
    this.#isOpen = isOpen;
    this.#ladder = ladder;
    this.#deps = deps;
    this.#state = { kind: 'starting', reason: null, rungs: ladder.rungs.map(({ rung }) => rung) };
  }

  get state(): LadderState {
    return this.#state;
  }

  cut(number: number, tick: number): void {
    this.#skipped();
    this.#wasFed = this.#segment?.isFed ?? false;
    this.#segment = { number, tick, isDecided: false, isFed: false };
  }

  frame(frame: ShownFrame): void {
    const segment = this.#segment;
    if (segment === null) return;
    if (!segment.isDecided) {
      segment.isDecided = true;
      if (this.#run === null && frame.isKey && Date.now() >= this.#retryAtMs) this.#start(segment.number);
      // The encoder is also cut at skipped segments, so that all its segments end where those of the source end.
      this.#run?.cut(segment.number, segment.tick);
      segment.isFed = this.#run !== null && this.#run.lagMs <= MAX_LAG_MS && (frame.isKey || this.#wasFed);
    }
    if (segment.isFed) this.#run?.frame(frame);
  }

  /** Ends the input after the publisher disconnected. The encoder outputs the frames in progress within seconds. */
  end(endTick: number): void {
    this.#skipped();
    this.#segment = null;
    const run = this.#run;
    if (run === null) return;
    this.#run = null;
    this.#ending.add(run);
    void run.done.finally(() => this.#ending.delete(run));
    run.end(endTick);
  }

  /** Whether no encoder is running, so that the rungs produce nothing unless the source continues. */
  get isIdle(): boolean {
    return this.#run === null && this.#ending.size === 0;
  }

  /** Resolves when no encoding is in progress. */
  async settled(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all([...this.#ending].map((run) => run.done));
  }

  #start(firstSegment: number): void {
    const { rungs, cores } = this.#ladder;
    const release = this.#deps.budget.take(cores);
    if (release === null) {
      const why = this.#deps.budget.explain(cores);
      this.#copyOnly(`Viewers get only the resolution of the encoder: this server cannot encode smaller ones. ${why}`);
      return;
    }
    this.#startedMs = Date.now();
    // The set is copied now, because this run may already be in it when its parameters arrive.
    const before = [...this.#ending];
    const run: RungRun = new RungRun(
      { source: this.#source, rungs, firstSegment },
      {
        configured: async (configs) => {
          // Waits for all output of the previous processes.
          await Promise.all(before.map(({ done }) => done));
          return this.#open(configs);
        },
        output: (rung, { ended, segments, gaps }) => {
          const lastParts = new Set(segments.map(({ segment }) => segment.fragments.at(-1)));
          for (const part of ended) this.#deps.part(rung, part, lastParts.has(part.fragment));
          for (const segment of segments) this.#deps.segment(rung, segment);
          for (const gap of gaps) this.#deps.gap(rung, gap);
        },
        over: (problem, lost) => {
          release();
          this.#over(run, problem, lost);
        },
      },
    );
    this.#run = run;
  }

  async #open(configs: readonly TrackConfig[]): Promise<boolean> {
    if (!(await this.#deps.open(configs))) return false;
    this.#isOpen = true;
    this.#state = { ...this.#state, kind: 'running', reason: null };
    this.#deps.settled();
    return true;
  }

  #over(run: RungRun, problem: string | null, lost: readonly (readonly number[])[]): void {
    const isFed = this.#run === run;
    const open = isFed ? (this.#segment?.number ?? null) : null;
    // The open segment is reported as a gap later, when the source completes it.
    lost.forEach((numbers, rung) => {
      for (const number of numbers) if (this.#isOpen && number !== open) this.#deps.gap(rung, number);
    });
    if (isFed) this.#run = null;
    if (isFed && this.#segment !== null) this.#segment.isFed = false;
    if (problem === null) return;
    this.#failures = Date.now() - this.#startedMs > STEADY_MS ? 0 : this.#failures + 1;
    this.#retryAtMs = Date.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#copyOnly(`The encoder of the smaller resolutions ended and is restarted. ${problem}`);
    this.#deps.report(new Error(`The resolutions of a live stream are temporarily not encoded: ${problem}`));
  }

  #copyOnly(reason: string): void {
    this.#state = { ...this.#state, kind: 'copy-only', reason };
    this.#deps.settled();
  }

  /** Reports a gap in all rungs if the completed source segment was not encoded. */
  #skipped(): void {
    const segment = this.#segment;
    if (segment === null || segment.isFed || !this.#isOpen || this.#run !== null) return;
    this.#ladder.rungs.forEach((_, rung) => {
      this.#deps.gap(rung, segment.number);
    });
  }
}
