import { type EndedBy, type MediaInput, NO_DATA, UNREADABLE } from '../../media/live/publishing/publisher.ts';
import { type EncoderBudget, PublisherMedia } from '../../media/live/publishing/run-publisher-media.ts';
import { LeftOut } from '../../media/live/tracks/left-out.ts';
import { TsDemuxer } from '../../media/mpegts/ts-demuxer.ts';

/** Time without playable media after which a caller is disconnected, in ms. */
const SILENT_MS = 15_000;
/** Number of consecutive damaged frames after which a caller is disconnected. */
const MAX_FAULTS = 100;

type Deps = { budget: EncoderBudget; report(error: Error): void; close(reason: string): void };

/** Media of one accepted caller. */
export class SrtSession {
  readonly #demuxer = new TsDemuxer();
  readonly #media: PublisherMedia;
  readonly #deps: Deps;
  #faults = 0;
  #leftOut: readonly string[] = [];
  #isEnded = false;
  #isFailed = false;
  readonly #silence: NodeJS.Timeout;

  constructor(input: MediaInput, deps: Deps) {
    this.#media = new PublisherMedia(input, deps);
    this.#deps = deps;
    this.#silence = setTimeout(() => deps.close(NO_DATA), SILENT_MS);
  }

  /** Processes received bytes. If a parser throws, only this caller is disconnected. */
  take(bytes: Buffer): void {
    if (this.#isEnded) return;
    try {
      this.#read(bytes);
    } catch (cause) {
      this.#isFailed = true;
      this.#deps.report(
        new Error('Could not process the media of an SRT publisher, which is disconnected.', { cause }),
      );
      this.#deps.close(UNREADABLE);
    }
  }

  end(reason: string, by: EndedBy): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#silence);
    if (!this.#isFailed) this.#takeLast();
    this.#media.end(reason, by);
  }

  /** Processes the last frames after the connection has ended, because no later frame marks their end. */
  #takeLast(): void {
    try {
      for (const event of this.#demuxer.end()) this.#media.push(event, sizeOf(event));
    } catch (cause) {
      this.#deps.report(new Error('Could not process the last frames of an SRT publisher.', { cause }));
    }
  }

  #noteLeftOut(): void {
    const { leftOut } = this.#demuxer;
    if (leftOut === this.#leftOut) return;
    this.#leftOut = leftOut;
    for (const reason of leftOut) this.#media.leaveOut(reason);
  }

  #read(bytes: Buffer): void {
    const { events, faults } = this.#demuxer.push(bytes);
    this.#noteLeftOut();
    const expected = this.#demuxer.expectedAudio;
    if (expected !== null) this.#media.expect(expected);
    for (const event of events) this.#media.push(event, sizeOf(event));
    if (events.length > 0) {
      this.#faults = 0;
      this.#silence.refresh();
    }
    const [fault] = faults;
    if (fault === undefined) return;
    if (this.#faults === 0) {
      this.#deps.report(fault);
      if (!(fault instanceof LeftOut)) this.#media.leaveOut(`Damaged media is left out. ${fault.message}`);
    }
    this.#faults += faults.length;
    if (this.#faults >= MAX_FAULTS) this.#deps.close(fault.message);
  }
}

function sizeOf(event: Parameters<PublisherMedia['push']>[0]): number {
  return event.type === 'unit' ? event.unit.bytes.length : 0;
}
