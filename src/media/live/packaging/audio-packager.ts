import type { AccessUnit, TrackConfig } from '../tracks/access-unit.ts';
import { type LivePart, type LiveSegment, PartWriter } from './part-writer.ts';

/** Maximum difference between a publisher's clock and the sample count from one frame to the next, in seconds. */
const MAX_JITTER_SEC = 0.05;
/**
 * Maximum time, in seconds, by which the first frame may be delayed to the start of the timeline. Earlier frames are
 * dropped. A frame of HE-AAC lasts at least 43 ms, so delaying it fully would be audible.
 */
const MAX_DELAY_SEC = 0.01;
/**
 * A frame is added or dropped if the mean difference from the publisher's clock exceeds half a frame by this number of
 * frames, or by `MAX_EXCESS_SEC` if that is less, as for the long frames of HE-AAC.
 */
const MAX_EXCESS_FRAMES = 0.1;
const MAX_EXCESS_SEC = 0.0022;
/** Number of frames over which the difference is averaged. */
const AVERAGED_FRAMES = 8;

export type AudioOutput = { ended: LivePart[]; segments: LiveSegment[] };

/**
 * Cuts audio into parts, and into segments at the times of `cutAt`. A frame belongs to the segment in which it begins.
 * Frames follow each other without a gap: silence replaces missing frames, and times stay within 0.6 frame durations of
 * the publisher's clock. They cannot be closer than half a frame, which is 21 ms for HE-AAC at 48 kHz: decoders count
 * samples, so a frame of another duration would shift all later audio.
 */
export class AudioPackager {
  readonly #writer: PartWriter;
  readonly #rate: number;
  readonly #frameTicks: number;
  readonly #silence: Buffer | null;
  readonly #boundaries: number[] = [];
  #nextTick: number | null = null;
  #isStarted = false;
  /** Mean lead of the publisher's clock over the sample count, or null after a gap. */
  #driftTicks: number | null = null;

  constructor(config: TrackConfig, firstSegment: number) {
    // A part ends when the next frame arrives. Until then, it is unknown whether another part of the segment follows,
    // which playlists announce.
    this.#writer = new PartWriter({ ...config, frameTicks: 0 }, firstSegment);
    this.#rate = config.timescale;
    this.#frameTicks = config.frameTicks;
    this.#silence = config.silence;
  }

  /** Number of the open segment. */
  get segment(): number {
    return this.#writer.segment;
  }

  /** End of the last frame, in ms on the timeline. 0 before the first frame. */
  get endMs(): number {
    return ((this.#nextTick ?? 0) * 1000) / this.#rate;
  }

  /**
   * Sets a time, in ms on the timeline, from which frames belong to the next segment. Returns the number of that
   * segment.
   */
  cutAt(mediaMs: number): number {
    this.#boundaries.push(this.#tickOf(mediaMs));
    return this.#writer.segment + this.#boundaries.length - (this.#isStarted ? 0 : 1);
  }

  /** Adds the next frame. `mediaMs` is its time on the timeline. */
  push(unit: AccessUnit, mediaMs: number): AudioOutput {
    const output: AudioOutput = { ended: [], segments: [] };
    const said = this.#tickOf(mediaMs);
    if (this.#nextTick === null && said < -MAX_DELAY_SEC * this.#rate) return output;
    const driftTicks = said - this.#begin(said);
    const most =
      this.#driftTicks === null ? this.#frameTicks / 2 : Math.max(this.#frameTicks, MAX_JITTER_SEC * this.#rate);
    if (Math.abs(driftTicks) > most) this.#driftTicks = null;
    // The frame begins before the end of the written audio, or before the first segment.
    if (driftTicks < -most) return output;
    if (driftTicks > most) this.#skipTo(said, output);
    if (this.#correct(said, output)) this.#add(unit.bytes, output);
    return output;
  }

  /**
   * Writes silence up to a time on the timeline, in whole frames. `isCovered`: the last frame may end after that time,
   * so that no gap remains before it.
   */
  fillTo(mediaMs: number, isCovered = false): AudioOutput {
    const output: AudioOutput = { ended: [], segments: [] };
    const start = this.#boundaries[0] ?? this.#nextTick;
    if (this.#silence === null || start === null) return output;
    const exact = (this.#tickOf(mediaMs) - this.#begin(start)) / this.#frameTicks;
    const frames = isCovered ? Math.ceil(exact) : Math.floor(exact);
    if (frames > 0) this.#driftTicks = null;
    this.#addSilence(frames, output);
    return output;
  }

  /** Ends the open part and segment. The next frame belongs to `nextSegment`. */
  end(nextSegment: number): AudioOutput {
    const output: AudioOutput = { ended: [], segments: [] };
    if (this.#isStarted) this.#endSegment(output);
    this.#boundaries.length = 0;
    this.#isStarted = false;
    this.#driftTicks = null;
    this.#writer.skipTo(nextSegment);
    return output;
  }

  /**
   * Returns the start of the next frame, which follows the written audio. The very first frame begins at the
   * publisher's time.
   */
  #begin(said: number): number {
    const first = this.#isStarted ? undefined : this.#boundaries[0];
    if (this.#nextTick === null) {
      const from = first ?? said;
      if (said < from - this.#frameTicks / 2) return from;
      this.#nextTick = said <= from ? Math.max(0, said) : from + ((said - from) % this.#frameTicks);
    }
    // The audio ended early and the track has no silent frame.
    if (first !== undefined && this.#nextTick < first - this.#frameTicks / 2) this.#nextTick = first;
    return this.#nextTick;
  }

  #skipTo(said: number, output: AudioOutput): void {
    const drift = said - (this.#nextTick ?? said);
    if (this.#silence === null) this.#nextTick = said;
    else this.#addSilence(Math.round(drift / this.#frameTicks), output);
  }

  /**
   * Keeps the mean deviation from the publisher's clock small by inserting silent frames. Returns false if the frame
   * must be dropped instead.
   */
  #correct(said: number, output: AudioOutput): boolean {
    const drift = said - (this.#nextTick ?? said);
    const average = this.#driftTicks === null ? drift : this.#driftTicks + (drift - this.#driftTicks) / AVERAGED_FRAMES;
    const most = this.#frameTicks / 2 + Math.min(MAX_EXCESS_FRAMES * this.#frameTicks, MAX_EXCESS_SEC * this.#rate);
    this.#driftTicks = average;
    if (average < -most) {
      this.#driftTicks += this.#frameTicks;
      return false;
    }
    if (average > most && this.#silence !== null) {
      this.#driftTicks -= this.#frameTicks;
      this.#addSilence(1, output);
    }
    return true;
  }

  #addSilence(frames: number, output: AudioOutput): void {
    for (let frame = 0; frame < frames && this.#silence !== null; frame += 1) this.#add(this.#silence, output);
  }

  #add(bytes: Buffer, output: AudioOutput): void {
    const tick = this.#nextTick ?? 0;
    this.#cross(tick, output);
    if (!this.#isStarted) return;
    const frame = { durationTicks: this.#frameTicks, sizeBytes: bytes.length, compositionOffsetTicks: 0, isSync: true };
    output.ended.push(...this.#writer.add(tick, { ...frame, bytes }));
    this.#nextTick = tick + this.#frameTicks;
  }

  /** Ends all segments before the one in which the frame begins. */
  #cross(tick: number, output: AudioOutput): void {
    for (
      let next = this.#boundaries[0];
      next !== undefined && tick + this.#frameTicks / 2 >= next;
      next = this.#boundaries[0]
    ) {
      this.#boundaries.shift();
      // The first boundary of a run is its start.
      if (this.#isStarted) this.#endSegment(output);
      this.#isStarted = true;
    }
    if (this.#writer.isFull) this.#endSegment(output);
  }

  #endSegment(output: AudioOutput): void {
    const part = this.#writer.endPart();
    if (part !== null) output.ended.push(part);
    const segment = this.#writer.endSegment();
    if (segment !== null) output.segments.push(segment);
  }

  #tickOf(mediaMs: number): number {
    return Math.round((mediaMs * this.#rate) / 1000);
  }
}
