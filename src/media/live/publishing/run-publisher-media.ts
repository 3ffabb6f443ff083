import { FlvTagWriter } from '../flv/flv-tag-writer.ts';
import type { LiveEvent, TrackConfig } from '../tracks/access-unit.ts';
import type { ForeignAudio, IngestEvent } from '../tracks/foreign-audio.ts';
import type { EndedBy, MediaInput } from './publisher.ts';
import { AudioEncoder, fitsRun } from './run-audio-encoder.ts';

/** Time for which audio is dropped after a failed run, in ms. */
const PAUSE_MS = 5_000;

/** Limits the concurrent audio encoder runs of all publishers in a process. */
export class EncoderBudget {
  #left: number;

  constructor(runs: number) {
    this.#left = runs;
  }

  take(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  giveBack(): void {
    this.#left += 1;
  }
}

type Deps = { budget: EncoderBudget; report(error: Error): void };

/** Passes a publisher's media to its stream, and encodes audio that cannot be packaged directly. `end` ends both. */
export class PublisherMedia {
  readonly #input: MediaInput;
  readonly #deps: Deps;
  readonly #tags = new FlvTagWriter();
  #run: { encoder: AudioEncoder; last: ForeignAudio } | null = null;
  #pausedUntilMs = 0;
  #isEnded = false;

  constructor(input: MediaInput, deps: Deps) {
    this.#input = input;
    this.#deps = deps;
  }

  /** `wireBytes` is the number of bytes that the event used on the wire. */
  push(event: IngestEvent, wireBytes: number): void {
    if (this.#isEnded) return;
    if (event.type !== 'foreign') this.#pass(event, wireBytes);
    else this.#encode(event.audio);
  }

  /** Reports that a part of the media is not shown. */
  leaveOut(reason: string): void {
    if (!this.#isEnded) this.#input.leaveOut(reason);
  }

  /** Announces audio that has not arrived yet. */
  expect(config: TrackConfig): void {
    if (!this.#isEnded) this.#input.expect?.(config);
  }

  /** Ends the media. Calls after the first have no effect. */
  end(reason: string, by: EndedBy): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stop();
    this.#input.end(reason, by);
  }

  #pass(event: LiveEvent, wireBytes: number): void {
    this.#input.push(event, wireBytes);
    this.#input.relay(this.#tags.write(event));
  }

  #encode(audio: ForeignAudio): void {
    if (this.#run !== null && !fitsRun(this.#run.last, audio)) this.#stop();
    this.#run ??= this.#start(audio);
    if (this.#run === null) return;
    this.#run.last = audio;
    this.#run.encoder.push(audio);
  }

  #start(audio: ForeignAudio): { encoder: AudioEncoder; last: ForeignAudio } | null {
    if (Date.now() < this.#pausedUntilMs) return null;
    if (!this.#deps.budget.take()) {
      this.#pause(
        new Error(
          `Too many ${audio.format} tracks are being encoded on this machine. The stream continues without audio.`,
        ),
      );
      return null;
    }
    const encoder = new AudioEncoder(audio, {
      unit: (event) => {
        if (this.#run?.encoder === encoder && !this.#isEnded)
          this.#pass(event, event.type === 'unit' ? event.unit.bytes.length : 0);
      },
      failed: (error) => {
        if (this.#run?.encoder !== encoder) return;
        this.#stop();
        this.#pause(new Error(`Could not encode ${audio.format} audio to AAC.`, { cause: error }));
      },
    });
    return { encoder, last: audio };
  }

  #stop(): void {
    if (this.#run === null) return;
    this.#run.encoder.close();
    this.#run = null;
    this.#deps.budget.giveBack();
  }

  #pause(reason: Error): void {
    this.#pausedUntilMs = Date.now() + PAUSE_MS;
    this.#deps.report(reason);
    this.leaveOut(reason.message);
  }
}
