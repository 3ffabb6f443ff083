// Runs in the page of a player. Its types are stripped when it is served. Its results must fit JSON.
import { OPEN, type Player } from './page-players.ts';
import { listenByRecording, listenByWebAudio } from './page-sound.ts';
import { median, until } from './page-wait.ts';
import type { Played, Trial } from './trial.ts';

/** Odd, so that each cell has a middle pixel. */
const CELL_PX = 5;
const SEEKS_SEC = [7.34, 3.3, 17.98, 12.02, 0.5] as const;

/** The driver polls for the result here. */
const result: { trialResult?: unknown } = window as never;

/** A trial of one player with one URL, from opening to replay. */
class Watch {
  readonly #player: Player;
  readonly #trial: Trial;
  readonly #canvas = new OffscreenCanvas(4 * CELL_PX, 3 * CELL_PX);
  readonly #late: number[] = [];
  readonly #errors: string[];

  constructor(player: Player, trial: Trial, errors: string[]) {
    this.#player = player;
    this.#trial = trial;
    this.#errors = errors;
  }

  /**
   * Returns the number of the frame shown, by the cells that `numbered-clip.ts` draws. Null if it is not a frame of the
   * clip.
   */
  read(): number | null {
    const context = this.#canvas.getContext('2d', { willReadFrequently: true });
    const { video } = this.#player;
    if (context === null || video.videoWidth === 0) return null;
    context.drawImage(video, 0, 0, 4 * CELL_PX, 3 * CELL_PX);
    const { data } = context.getImageData(0, 0, 4 * CELL_PX, 3 * CELL_PX);
    const cells = Array.from({ length: 12 }, (_, index) => {
      // Samples the middle of each cell, because its edges are blurred in a low rung.
      const [x, y] = [((index % 4) + 0.5) * CELL_PX - 0.5, (Math.floor(index / 4) + 0.5) * CELL_PX - 0.5];
      return (data[(y * 4 * CELL_PX + x) * 4 + 1] ?? 0) > 127;
    });
    const bits = cells.slice(0, 10);
    const isOdd = bits.filter(Boolean).length % 2 === 1;
    if (cells[10] !== isOdd || cells[11] === isOdd) return null;
    return bits.reduce((number, isWhite) => number * 2 + Number(isWhite), 0);
  }

  async play(): Promise<Played> {
    const { video } = this.#player;
    this.#watchFrames();
    const listening = await (this.#trial.capture === 'web-audio' ? listenByWebAudio(video) : listenByRecording(video));
    await this.#go();
    await until('picture after 5.5 s', () => this.#failed() || video.currentTime > 5.5);
    return { pictureMs: median(this.#late), ...(await listening()) };
  }

  /** Returns the maximum error of the frames after seeks, in frames. */
  async seek(): Promise<number> {
    const { video } = this.#player;
    video.pause();
    let worst = 0;
    for (const sec of SEEKS_SEC) {
      video.currentTime = sec;
      const expected = Math.floor(sec * this.#trial.rate + 1e-6);
      await until('end of a seek', () => this.#failed() || (!video.seeking && video.readyState >= 2));
      // The frame appears a moment after the event.
      const isThere = until('picture of a seek', () => this.read() === expected, 3_000);
      await isThere.catch(() => undefined);
      worst = Math.max(worst, Math.abs((this.read() ?? Number.POSITIVE_INFINITY) - expected));
    }
    return worst;
  }

  /** Chooses each rung and plays it. Returns the heights shown. */
  async switch(): Promise<number[]> {
    const { video } = this.#player;
    const heights = [...new Set(this.#player.heights())].sort((a, b) => a - b);
    const shown: number[] = [];
    await this.#go();
    for (const heightPx of [...heights, heights[0] ?? 0]) {
      this.#player.choose(heightPx);
      await until(`${heightPx}p`, () => this.#failed() || video.videoHeight === heightPx);
      const from = video.currentTime;
      await until(`play of ${heightPx}p`, () => this.#failed() || video.currentTime > from + 0.7);
      shown.push(video.videoHeight);
      if (video.currentTime > this.#trial.lengthSec - 8) video.currentTime = 2;
    }
    return shown;
  }

  async end(): Promise<void> {
    const { video } = this.#player;
    video.currentTime = this.#trial.lengthSec - 2;
    await this.#go();
    let last = -1;
    await until('end', () => {
      last = Math.max(last, this.read() ?? -1);
      return this.#failed() || video.ended;
    });
    last = Math.max(last, this.read() ?? -1);
    const frames = this.#trial.lengthSec * this.#trial.rate;
    if (last < frames - 3) throw new Error(`ended at frame ${last} of ${frames}`);
  }

  async replay(): Promise<void> {
    const { video } = this.#player;
    await this.#go();
    await until('replay', () => {
      const number = this.read() ?? -1;
      return this.#failed() || (!video.ended && video.currentTime < 5 && number > 12 && number < 5 * this.#trial.rate);
    });
  }

  async #go(): Promise<void> {
    const { video } = this.#player;
    let isOver = false;
    let fault: Error | null = null;
    video
      .play()
      .catch((error: Error) => {
        // If a new load interrupts a play, the player itself repeats it.
        if (error.name !== 'AbortError') fault = error;
      })
      .finally(() => {
        isOver = true;
      });
    // If a player gives the element no data, the promise never settles.
    await until('answer of play()', () => this.#failed() || isOver);
    if (fault !== null) throw fault;
  }

  /** Throws the fatal errors that the player reported. */
  #failed(): false {
    if (this.#errors.length > 0) throw new Error(this.#errors.join(', '));
    return false;
  }

  #watchFrames(): void {
    const { video } = this.#player;
    const watch: VideoFrameRequestCallback = (_, { mediaTime }) => {
      const number = this.read();
      if (number !== null) this.#late.push((mediaTime - number / this.#trial.rate) * 1000);
      video.requestVideoFrameCallback(watch);
    };
    video.requestVideoFrameCallback(watch);
  }
}

/** Runs a trial. Each failed step has a reason, and later steps still run. */
async function run(trial: Trial): Promise<Record<string, unknown>> {
  const errors: string[] = [];
  const host = document.querySelector('main') as HTMLElement;
  const player = await OPEN[trial.player.kind](host, trial.address, (reason) => errors.push(reason));
  const watch = new Watch(player, trial, errors);
  await until('list of rungs', () => player.heights().length > 1 || errors.length > 0);
  const result: Record<string, unknown> = {};
  for (const step of ['play', 'seek', 'switch', 'end', 'replay'] as const) {
    try {
      result[step] = { isGood: true, value: (await watch[step]()) ?? null };
    } catch (error) {
      result[step] = { isGood: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }
  return result;
}

Object.assign(window, {
  // Drivers limit the time of a promise that they await, so they poll for this result.
  beginTrial(trial: Trial) {
    result.trialResult = null;
    run(trial).then(
      (outcome) => {
        result.trialResult = outcome;
      },
      (error: Error) => {
        result.trialResult = { error: error.message };
      },
    );
  },
});
