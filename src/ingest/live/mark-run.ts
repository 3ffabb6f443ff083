import type { RungPlan } from '../../media/encode/ladder.ts';
import { type FiledMark, type LadderRun, runLadder } from '../../media/live/ladder/run-ladder.ts';
import type { AccessUnit, LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';

export type MarkedMedia = { source: TrackConfig; rung: RungPlan; marking: FiledMark };

export type MarkRunHandlers = {
  /** Parameters and pictures with the watermark, in display order, with their original times. */
  output(event: LiveEvent): void;
  /** The process has ended; `problem` is null if its owner ended it. Called once. */
  over(problem: string | null): void;
};

/** Maximum pictures in progress: with more, the encoder does not keep up. */
const MAX_IN_PROGRESS = 300;
const MAX_QUEUED_BYTES = 32 * 2 ** 20;
const DRAIN_MS = 5_000;

/** A process that draws a watermark over a publisher's pictures, from a keyframe on. */
export class MarkRun {
  readonly #handlers: MarkRunHandlers;
  readonly #abort = new AbortController();
  /** Times of pictures in progress, by the clock of the process. */
  readonly #times = new Map<number, number>();
  #baseMs: number | null = null;
  #process: LadderRun | null = null;
  #early: (() => void)[] = [];
  #problem: string | null = null;
  #isEnding = false;
  #timer: NodeJS.Timeout | null = null;
  /** Resolves when the process has ended. */
  readonly done: Promise<void>;

  /** Starts when `before`, whose pictures come first, has ended. */
  constructor(media: MarkedMedia, before: Promise<void>, handlers: MarkRunHandlers) {
    this.#handlers = handlers;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    const over = (problem: string | null) => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      handlers.over(this.#problem ?? (this.#isEnding ? null : (problem ?? 'The encoder ended early.')));
      resolve();
    };
    before.then(() => this.#start(media, over)).catch((error: Error) => over(error.message));
  }

  frame({ ptsMs, isKey, bytes }: AccessUnit): void {
    this.#baseMs ??= ptsMs;
    const timeMs = Math.round(ptsMs - this.#baseMs);
    // Shown before the keyframe from which this process decodes.
    if (timeMs < 0) return;
    this.#times.set(timeMs, ptsMs);
    this.#write(() => this.#process?.write({ timeMs, isKey, bytes }));
    const isLate = this.#times.size > MAX_IN_PROGRESS || (this.#process?.waitingBytes ?? 0) > MAX_QUEUED_BYTES;
    if (isLate) this.kill('The encoder does not keep up.');
  }

  /** Pictures in progress are output within seconds. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#write(() => this.#process?.end());
    this.#timer = setTimeout(() => this.kill('The encoder did not end.'), DRAIN_MS);
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
    // Pictures are output in display order.
    for (const [oneMs] of this.#times) if (oneMs <= timeMs) this.#times.delete(oneMs);
    this.#handlers.output({ type: 'unit', unit: { kind: 'video', dtsMs: ptsMs, ptsMs, isKey, bytes } });
  }
}
