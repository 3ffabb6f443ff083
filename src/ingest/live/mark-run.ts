import type { RungPlan } from '../../media/encode/ladder.ts';
import { ladderTimeMs } from '../../media/live/ladder/ladder-plan.ts';
import { type FiledMark, type LadderRun, runLadder } from '../../media/live/ladder/run-ladder.ts';
import type { AccessUnit, LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';

export type MarkedMedia = { source: TrackConfig; rung: RungPlan; marking: FiledMark };

export type MarkRunHandlers = {
  /** Receives the parameters and the watermarked frames, in display order with their original times. */
  output(event: LiveEvent): void;
  /** Called once when the process has exited. `problem` is null if the owner stopped the process. */
  over(problem: string | null): void;
};

/** Maximum number of frames in progress. With more, the encoder is too slow. */
const MAX_IN_PROGRESS = 300;
const MAX_QUEUED_BYTES = 32 * 2 ** 20;
const DRAIN_MS = 5_000;

/** A process that draws a watermark over a publisher's frames, starting at a keyframe. */
export class MarkRun {
  readonly #handlers: MarkRunHandlers;
  readonly #abort = new AbortController();
  /** Original times of the frames in progress, by their time on the clock of the process. */
  readonly #times = new Map<number, number>();
  #baseMs: number | null = null;
  #process: LadderRun | null = null;
  #early: (() => void)[] = [];
  #problem: string | null = null;
  #isEnding = false;
  #timer: NodeJS.Timeout | null = null;
  /** Resolves when the process has exited. */
  readonly done: Promise<void>;

  /** Starts when `before` resolves, so that the frames of the previous process are output first. */
  constructor(media: MarkedMedia, before: Promise<void>, handlers: MarkRunHandlers) {
    this.#handlers = handlers;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    const over = (problem: string | null) => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      handlers.over(this.#problem ?? (this.#isEnding ? null : (problem ?? 'The encoder exited unexpectedly.')));
      resolve();
    };
    before.then(() => this.#start(media, over)).catch((error: Error) => over(error.message));
  }

  frame({ ptsMs, isKey, bytes }: AccessUnit): void {
    this.#baseMs ??= ptsMs;
    // Skips a frame that is shown before the keyframe at which this process starts.
    if (ptsMs < this.#baseMs) return;
    let timeMs = ladderTimeMs(ptsMs - this.#baseMs, isKey);
    while (this.#times.has(timeMs)) timeMs += 2;
    this.#times.set(timeMs, ptsMs);
    this.#write(() => this.#process?.write({ timeMs, isKey, bytes }));
    const isLate = this.#times.size > MAX_IN_PROGRESS || (this.#process?.waitingBytes ?? 0) > MAX_QUEUED_BYTES;
    if (isLate) this.kill('The encoder does not keep up.');
  }

  /** Ends the input. The process outputs the remaining frames within seconds. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#write(() => this.#process?.end());
    this.#timer = setTimeout(() => this.kill('The encoder did not exit in time.'), DRAIN_MS);
  }

  kill(problem: string | null): void {
    this.#problem ??= problem;
    this.#isEnding ||= problem === null;
    this.#abort.abort();
    this.#process?.kill();
  }

  #write(write: () => void): void {
    if (this.#process === null) this.#early.push(write);
    else write();
  }

  async #start({ source, rung, marking }: MarkedMedia, ended: (problem: string | null) => void): Promise<void> {
    const handlers = { encoded: (_: number, event: LiveEvent) => this.#take(event), ended };
    this.#process = await runLadder({ source, rungs: [rung], marking }, handlers, this.#abort.signal);
    for (const write of this.#early) write();
    this.#early = [];
  }

  #take(event: LiveEvent): void {
    if (event.type === 'config') {
      this.#handlers.output(event);
      return;
    }
    const { isKey, bytes, ptsMs: timeMs } = event.unit;
    const ptsMs = this.#times.get(timeMs);
    if (ptsMs === undefined) return;
    // Frames that are shown earlier have left the process, because it outputs frames in display order.
    for (const [oneMs] of this.#times) if (oneMs <= timeMs) this.#times.delete(oneMs);
    this.#handlers.output({ type: 'unit', unit: { kind: 'video', dtsMs: ptsMs, ptsMs, isKey, bytes } });
  }
}
