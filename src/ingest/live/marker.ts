import type { LadderOptions } from '../../media/encode/ladder.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import { planMarkedSource } from '../../media/live/ladder/ladder-plan.ts';
import type { AccessUnit, LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { hasDeepPictures } from '../../media/live/tracks/sample-entry.ts';
import type { CoreBudget } from './core-budget.ts';
import { MarkRun } from './mark-run.ts';

export type MarkerDeps = {
  budget: CoreBudget;
  /** Folder for the watermark file while it is in use. */
  folder: string;
  /** Receives the output, which is published instead of the input. */
  output(event: LiveEvent, wireBytes: number): void;
  /**
   * Called if the watermark cannot be drawn. The publisher must be refused, because nothing may be shown without the
   * watermark.
   */
  refuse(reason: string): void;
  report(error: Error): void;
};

type Held = { unit: AccessUnit; wireBytes: number };

/** Maximum time for which audio waits for the video frames of the same time, in ms. */
const MAX_WAIT_MS = 2_000;
/**
 * Maximum number of held audio frames: 2 s of the shortest possible frames (2.5 ms of Opus), which need less than
 * `MAX_HELD_BYTES`. Both limits are needed, because frames with identical times would never be released by time alone.
 */
const MAX_HELD = 800;
const MAX_HELD_BYTES = 4 * 2 ** 20;
/**
 * Maximum interval between the times of consecutive frames, in ms. After a larger jump, the process is restarted with a
 * new clock.
 */
const MAX_STEP_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Draws a library's watermark over the frames of one publisher. All video is decoded and encoded again, so that no
 * frame is shown without the watermark. If the encoder crashes, it is restarted at the next keyframe, after a pause.
 */
export class Marker {
  readonly #mark: Watermark;
  readonly #options: LadderOptions;
  readonly #deps: MarkerDeps;
  #source: TrackConfig | null = null;
  #run: MarkRun | null = null;
  #release: (() => void) | null = null;
  #last: Promise<void> = Promise.resolve();
  /** Audio that waits for the video frames in progress. */
  #held: Held[] = [];
  #heldBytes = 0;
  #newestMs = 0;
  #failures = 0;
  #retryAtMs = 0;
  #isClosed = false;
  #isFinishing = false;

  constructor({ mark, options }: { mark: Watermark; options: LadderOptions }, deps: MarkerDeps) {
    this.#mark = mark;
    this.#options = options;
    this.#deps = deps;
  }

  push(event: LiveEvent, wireBytes: number): void {
    if (this.#isFinishing) return;
    if (event.type === 'config') this.#configure(event, wireBytes);
    else if (event.unit.kind === 'video') this.#pushPicture(event.unit);
    else this.#pushAudio({ unit: event.unit, wireBytes });
  }

  /** Outputs all frames in progress and the audio that waits for them. Drops everything that is pushed afterwards. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.#endRun();
    await this.#last;
    if (!this.#isClosed) this.#releaseAudio(() => true);
  }

  /** Called when the publisher has disconnected. */
  close(): void {
    this.#isClosed = true;
    this.#held = [];
    this.#heldBytes = 0;
    this.#run?.kill(null);
    this.#endRun();
  }

  #configure(event: Extract<LiveEvent, { type: 'config' }>, wireBytes: number): void {
    if (event.config.kind === 'audio') {
      this.#deps.output(event, wireBytes);
      return;
    }
    if (this.#source?.sampleEntry.equals(event.config.sampleEntry) === true) return;
    this.#source = event.config;
    this.#endRun();
  }

  #pushPicture(unit: AccessUnit): void {
    const step = unit.ptsMs - this.#newestMs;
    if (unit.isKey && this.#run !== null && (step < 0 || step > MAX_STEP_MS)) this.#endRun();
    if (this.#run === null && unit.isKey && Date.now() >= this.#retryAtMs) this.#start();
    this.#newestMs = unit.isKey ? unit.ptsMs : Math.max(this.#newestMs, unit.ptsMs);
    this.#run?.frame(unit);
  }

  #pushAudio(held: Held): void {
    if (this.#source === null) {
      this.#give(held);
      return;
    }
    this.#held.push(held);
    this.#heldBytes += held.wireBytes;
    const newestMs = held.unit.dtsMs;
    this.#releaseAudio(({ unit }) => Math.abs(newestMs - unit.dtsMs) > MAX_WAIT_MS);
    this.#releaseAudio(() => this.#held.length > MAX_HELD || this.#heldBytes > MAX_HELD_BYTES);
  }

  #start(): void {
    const source = this.#source;
    if (source === null) return;
    if (hasDeepPictures(source.sampleEntry)) {
      this.#deps.refuse("The library's watermark is drawn on 8-bit video only. Publish without high dynamic range.");
      return;
    }
    const { rungs, cores } = planMarkedSource(source, this.#options);
    const [rung] = rungs;
    const release = this.#deps.budget.take(cores);
    if (rung === undefined || release === null) {
      release?.();
      const why = this.#deps.budget.explain(cores);
      this.#deps.refuse(`This server cannot draw the library's watermark. ${why}`);
      return;
    }
    this.#release = release;
    const run: MarkRun = new MarkRun(
      { source, rung, marking: { mark: this.#mark, folder: this.#deps.folder } },
      this.#last,
      {
        output: (event) => this.#take(event),
        over: (problem) => this.#over(run, problem),
      },
    );
    this.#run = run;
    this.#last = run.done;
  }

  #take(event: LiveEvent): void {
    if (this.#isClosed) return;
    if (event.type === 'config') {
      this.#deps.output(event, 0);
      return;
    }
    const { ptsMs, bytes } = event.unit;
    this.#failures = 0;
    this.#releaseAudio(({ unit }) => unit.dtsMs < ptsMs);
    this.#deps.output(event, bytes.length);
  }

  #over(run: MarkRun, problem: string | null): void {
    if (this.#run === run) this.#leaveRun();
    if (problem === null || this.#isClosed) return;
    this.#failures += 1;
    this.#retryAtMs = Date.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#deps.report(new Error(`The watermark of a live stream is temporarily not drawn: ${problem}`));
  }

  /** Ends the input of the process, which still outputs the frames in progress. */
  #endRun(): void {
    this.#run?.end();
    this.#leaveRun();
  }

  /** Detaches from the process and frees its cores for the next one. */
  #leaveRun(): void {
    this.#run = null;
    this.#release?.();
    this.#release = null;
  }

  #releaseAudio(isDue: (held: Held) => boolean): void {
    for (let next = this.#held[0]; next !== undefined && isDue(next); next = this.#held[0]) {
      this.#held.shift();
      this.#heldBytes -= next.wireBytes;
      this.#give(next);
    }
  }

  #give({ unit, wireBytes }: Held): void {
    this.#deps.output({ type: 'unit', unit }, wireBytes);
  }
}
