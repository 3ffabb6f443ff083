import type { PeriodTracks } from '../../media/live/packaging/stream-packager.ts';
import type { Slot } from '../../media/live/publishing/publisher.ts';
import type { LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { BitrateMeter } from './bitrate-meter.ts';

/** How long a publisher's second track is waited for, ms of media. */
const TRACK_WAIT_MS = 1_000;

/** One accepted publisher of a stream. */
export class LivePublisher {
  readonly slot: Slot;
  readonly session: number;
  readonly disconnect: (reason: string) => void;
  readonly meter = new BitrateMeter();
  lastMediaMs: number | null = null;
  #video: TrackConfig | null = null;
  #audio: TrackConfig | null = null;
  #expectedAudio: TrackConfig | null = null;
  #firstDtsMs: number | null = null;
  #isComplete = false;

  constructor(slot: Slot, session: number, disconnect: (reason: string) => void) {
    this.slot = slot;
    this.session = session;
    this.disconnect = disconnect;
  }

  /** The tracks, once both are known or the second did not come in time. */
  get tracks(): PeriodTracks | null {
    return this.#isComplete ? { video: this.#video, audio: this.#audio ?? this.#expectedAudio } : null;
  }

  /** Notes that sound is announced: if it does not come in time, the stream has a silent track of these parameters. */
  expect(config: TrackConfig): void {
    if (!this.#isComplete) this.#expectedAudio = config;
  }

  /** Takes note of an event. True when the tracks changed after they were complete. */
  note(event: LiveEvent, wireBytes: number): boolean {
    if (event.type === 'config') return this.#configure(event.config);
    this.lastMediaMs = Date.now();
    this.meter.count(event.unit.kind, wireBytes);
    this.#firstDtsMs ??= event.unit.dtsMs;
    const waitedMs = event.unit.dtsMs - this.#firstDtsMs;
    if (this.#video !== null || this.#audio !== null) {
      this.#isComplete ||= (this.#video !== null && this.#audio !== null) || waitedMs >= TRACK_WAIT_MS;
    }
    return false;
  }

  #configure(config: TrackConfig): boolean {
    const before =
      config.kind === 'video' ? this.#video : (this.#audio ?? (this.#isComplete ? this.#expectedAudio : null));
    if (before?.sampleEntry.equals(config.sampleEntry) === true) return false;
    if (config.kind === 'video') this.#video = config;
    else this.#audio = config;
    return this.#isComplete;
  }
}
