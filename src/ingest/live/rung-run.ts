import type { RungPlan } from '../../media/encode/ladder.ts';
import { ladderTimeMs } from '../../media/live/ladder/ladder-plan.ts';
import { type LadderRun, runLadder } from '../../media/live/ladder/run-ladder.ts';
import { type RungOutput, RungPackager } from '../../media/live/packaging/rung-packager.ts';
import type { ShownFrame } from '../../media/live/packaging/video-packager.ts';
import { type LiveEvent, type TrackConfig, VIDEO_TIMESCALE } from '../../media/live/tracks/access-unit.ts';

export type RungRunHandlers = {
  /**
   * Receives the parameters of all rungs before their media. Returns false if they do not match, which stops the run.
   */
  configured(configs: readonly TrackConfig[]): Promise<boolean>;
  output(rung: number, output: RungOutput): void;
  /**
   * Called when the process has exited. `lost` has the numbers of incomplete segments by rung. `problem` is null if the
   * run was stopped by its owner.
   */
  over(problem: string | null, lost: readonly (readonly number[])[]): void;
};

const TICKS_PER_MS = VIDEO_TIMESCALE / 1000;
/** Maximum number of frames in progress. With more, the encoder loses frames. */
const MAX_IN_PROGRESS = 2_000;
const MAX_QUEUED_BYTES = 32 * 2 ** 20;
/**
 * Maximum size in bytes of output that is held until the rows of the rungs are stored: half a minute of a whole ladder.
 */
const MAX_HELD_BYTES = 48 * 2 ** 20;
/** Time without output, despite input, after which the process counts as hung, in ms. */
const HANGING_MS = 10_000;
/** Lag in ms above which an encoder that produces no output counts as hung. Frame reordering causes a smaller lag. */
const HANGING_LAG_MS = 1_500;
const DRAIN_MS = 5_000;

type HeldPicture = { rung: number; tick: number; isKey: boolean; bytes: Buffer };

/** A process that encodes the rungs of a stream from a keyframe of its source until the publisher disconnects. */
export class RungRun {
  readonly #source: TrackConfig;
  readonly #rungs: readonly RungPlan[];
  readonly #handlers: RungRunHandlers;
  readonly #packagers: RungPackager[];
  readonly #configs: (TrackConfig | null)[];
  /** Time of the newest output frame of each rung, on the process's clock. */
  readonly #passedMs: number[];
  readonly #abort = new AbortController();
  /** Display times of frames in progress by their time on the process's clock. */
  readonly #ticks = new Map<number, number>();
  /** Output produced before the parameters of all rungs were accepted. */
  #held: HeldPicture[] = [];
  #heldBytes = 0;
  #isConfigured = false;
  #configuring: Promise<void> | null = null;
  #process: LadderRun | null = null;
  #early: (() => void)[] = [];
  #baseTick: number | null = null;
  #newestTick = 0;
  #outTick = 0;
  #endTick: number | null = null;
  #lastOutMs = Date.now();
  #problem: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly done: Promise<void>;

  constructor(
    { source, rungs, firstSegment }: { source: TrackConfig; rungs: readonly RungPlan[]; firstSegment: number },
    handlers: RungRunHandlers,
  ) {
    this.#source = source;
    this.#rungs = rungs;
    this.#handlers = handlers;
    this.#packagers = rungs.map(() => new RungPackager(firstSegment));
    this.#configs = rungs.map(() => null);
    this.#passedMs = rungs.map(() => 0);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#start(resolve).catch((error: Error) => this.#over(error.message, resolve));
  }

  /** Lag of the output behind the input, in ms of media. */
  get lagMs(): number {
    return this.#baseTick === null ? 0 : (this.#newestTick - this.#outTick) / TICKS_PER_MS;
  }

  cut(segment: number, tick: number): void {
    for (const packager of this.#packagers) packager.cut(segment, tick);
    // Also checked here, because a hung process soon lags so far behind that it receives no more frames.
    if (this.lagMs > HANGING_LAG_MS) this.#checkHanging();
  }

  frame({ shownTick, isKey, bytes }: ShownFrame): void {
    if (this.#abort.signal.aborted) return;
    if (this.#baseTick === null) {
      this.#baseTick = shownTick;
      this.#outTick = shownTick;
      this.#lastOutMs = Date.now();
    }
    // Skips a frame that is shown before the keyframe at which this process starts.
    if (shownTick < this.#baseTick) return;
    let timeMs = ladderTimeMs((shownTick - this.#baseTick) / TICKS_PER_MS, isKey);
    while (this.#ticks.has(timeMs)) timeMs += 2;
    this.#ticks.set(timeMs, shownTick);
    this.#newestTick = Math.max(this.#newestTick, shownTick);
    this.#write(() => this.#process?.write({ timeMs, isKey, bytes }));
    if (this.#ticks.size > MAX_IN_PROGRESS || (this.#process?.waitingBytes ?? 0) > MAX_QUEUED_BYTES) {
      this.kill('The encoder does not keep up.');
    } else if (this.#ticks.size > 50) {
      this.#checkHanging();
    }
  }

  /** Ends the input after the publisher disconnected. The process still outputs the frames in progress. */
  end(endTick: number): void {
    if (this.#endTick !== null) return;
    this.#endTick = endTick;
    this.#write(() => this.#process?.end());
    this.#timer = setTimeout(() => this.kill('The encoder did not exit in time.'), DRAIN_MS);
  }

  kill(problem: string | null): void {
    this.#problem ??= problem;
    this.#endTick = null;
    this.#abort.abort();
    this.#process?.kill();
  }

  #checkHanging(): void {
    if (Date.now() - this.#lastOutMs > HANGING_MS) this.kill('The encoder hangs.');
  }

  #write(write: () => void): void {
    if (this.#process === null) this.#early.push(write);
    else write();
  }

  async #start(resolve: () => void): Promise<void> {
    const media = { source: this.#source, rungs: this.#rungs };
    const handlers = {
      encoded: (rung: number, event: LiveEvent) => this.#take(rung, event),
      ended: (problem: string | null) => {
        // Waits until the rows of the rungs are stored, so that media encoded in the meantime is not lost.
        void (this.#configuring ?? Promise.resolve()).then(() => this.#over(problem, resolve));
      },
    };
    this.#process = await runLadder(media, handlers, this.#abort.signal);
    for (const write of this.#early) write();
    this.#early = [];
  }

  #take(rung: number, event: LiveEvent): void {
    if (event.type === 'config') {
      this.#configs[rung] = event.config;
      const configs = this.#configs.filter((one) => one !== null);
      if (configs.length === this.#rungs.length && this.#configuring === null) this.#configure(configs);
      return;
    }
    const { ptsMs, isKey, bytes } = event.unit;
    const tick = this.#ticks.get(ptsMs);
    if (tick === undefined) return;
    this.#passed(rung, ptsMs);
    if (this.#isConfigured) this.#push({ rung, tick, isKey, bytes });
    else this.#hold({ rung, tick, isKey, bytes });
  }

  #hold(one: HeldPicture): void {
    this.#held.push(one);
    this.#heldBytes += one.bytes.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.kill('The encoded resolutions could not be stored in time.');
  }

  /** Removes the times of frames that every rung has output. */
  #passed(rung: number, timeMs: number): void {
    this.#lastOutMs = Date.now();
    this.#passedMs[rung] = timeMs;
    const slowestMs = Math.min(...this.#passedMs);
    this.#outTick = Math.max(this.#outTick, this.#ticks.get(slowestMs) ?? 0);
    for (const [oneMs] of this.#ticks) if (oneMs < slowestMs) this.#ticks.delete(oneMs);
  }

  #configure(configs: readonly TrackConfig[]): void {
    this.#configuring = this.#handlers
      .configured(configs)
      .then((fits) => {
        if (!fits) {
          this.kill('The encoder changed its parameters.');
          return;
        }
        this.#isConfigured = true;
        for (const one of this.#held) this.#push(one);
        this.#held = [];
      })
      .catch((error: Error) => this.kill(error.message));
  }

  #push({ rung, tick, isKey, bytes }: HeldPicture): void {
    const output = this.#packagers[rung]?.push(tick, { isKey, bytes });
    if (output !== undefined) this.#handlers.output(rung, output);
  }

  #over(problem: string | null, resolve: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const endTick = this.#isConfigured && this.#problem === null && problem === null ? this.#endTick : null;
    const said = this.#problem ?? (endTick === null ? (problem ?? 'The encoder exited unexpectedly.') : null);
    if (endTick !== null) {
      this.#packagers.forEach((packager, rung) => {
        this.#handlers.output(rung, packager.end(endTick));
      });
    }
    this.#handlers.over(
      said,
      this.#packagers.map((packager) => packager.abort()),
    );
    resolve();
  }
}
