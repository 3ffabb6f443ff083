import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayState } from '../../catalog/live/live-stream.ts';
import type { PeriodTracks } from '../../media/live/packaging/stream-packager.ts';
import type { Slot } from '../../media/live/publishing/publisher.ts';
import { usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import type { AccessUnit, LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import {
  estimateBps,
  measureFrameRate,
  readLongestGop,
  type SizedPicture,
} from '../../media/live/tracks/encoder-rates.ts';
import { GopCloser } from '../../media/live/tracks/gop-closer.ts';
import { LeadingFrames, OPEN_GOPS } from '../../media/live/tracks/leading-frames.ts';
import { LeftOutReasons } from '../../media/live/tracks/left-out.ts';
import { describePlaybackLimit } from '../../media/live/tracks/playback-limit.ts';
import { isH264Entry } from '../../media/live/tracks/sample-entry.ts';
import { BitrateMeter } from './bitrate-meter.ts';
import { SoundWatch } from './sound-watch.ts';

/** Maximum wait for a watermark encoder before the process exits, in ms. */
const FINISH_MS = 2_000;
/** Maximum wait for a publisher's second track, in ms of media. */
const TRACK_WAIT_MS = 1_000;
/**
 * Maximum wait for the decoder configuration or the first keyframe of video whose frames arrive, in ms of media. A
 * publisher that connects within a GOP sends them with its next keyframe. Otherwise, the stream would change to audio
 * alone until then.
 */
const DESCRIPTION_WAIT_MS = 10_000;
/**
 * Maximum wait for the first frame of video that the publisher announced, in ms of media. After it, the audio is
 * published alone until the video begins.
 */
const FIRST_FRAME_WAIT_MS = 5_000;
/** Time without a keyframe after which the status gives the reason, in ms of media. */
const KEY_WAIT_MS = 2_500;
/** Number of frames used to measure the bitrate, and the frame rate if the protocol does not transmit it. */
const MEASURED_FRAMES = 12;

/** Reasons shown for a track whose frames arrive without a decoder configuration. */
const UNDESCRIBED = {
  video: describeMissing('picture', 'sequence header or parameter sets'),
  audio: describeMissing('sound', 'AudioSpecificConfig'),
} as const;

/** Reason shown while changed audio waits for a keyframe for longer than `TRACK_WAIT_MS`. */
const AUDIO_CHANGE =
  'The audio parameters changed within a GOP, so the audio is silent until the next keyframe. ' +
  'Send keyframes more often, or restart the encoder.';

/** Reason shown for a publisher that has not sent any media for some seconds. */
const NO_MEDIA =
  'The encoder is connected, but sends no audio or video that can be used. Check its sources and its codecs.';

/** Reason shown while the audio of a publisher is missing although its video continues. */
const NO_SOUND =
  'The sound stopped: the encoder sends video but no audio, so viewers hear silence. ' +
  'Check its microphone or audio source.';

/** Reason shown while the video of a publisher has frames but no keyframe. */
const NO_KEYFRAME =
  'The picture waits for a keyframe: expected one every 2 s, got none since the encoder connected. Set the keyframe ' +
  'interval of the encoder to 2 s.';

/** An accepted publisher of a stream. */
export class LivePublisher {
  readonly slot: Slot;
  readonly session: number;
  readonly disconnect: (reason: string) => void;
  readonly meter = new BitrateMeter();
  /** Reasons why parts of the publisher's media are not shown, or not on all devices. */
  readonly leftOut = new LeftOutReasons();
  /** Outputs all received media that is still being processed, and takes no more. Resolves when it is output. */
  finish: () => Promise<void> = () => Promise.resolve();
  /** State of the relays of this publisher. */
  relayStates: () => readonly RelayState[] = () => [];
  lastMediaMs: number | null = null;
  readonly connectedMs = Date.now();
  /** Bytes of media as received. */
  receivedBytes = 0;
  isIdle = false;
  #video: TrackConfig | null = null;
  /** Announced video without a frame. It begins with its first keyframe. */
  #nextVideo: TrackConfig | null = null;
  #audio: TrackConfig | null = null;
  #expectedAudio: TrackConfig | null = null;
  /**
   * Changed audio parameters, until the next keyframe or until the video stops. Otherwise, frames up to that keyframe
   * would be lost. `fromMs` is the time of the first dropped frame.
   */
  #nextAudio: { config: TrackConfig; fromMs: number | null } | null = null;
  #lastVideoMs: number | null = null;
  #firstDtsMs: number | null = null;
  /** Time of the first frame of each track that has no decoder configuration; null once the track has one. */
  #undescribedMs: Partial<Record<AccessUnit['kind'], number | null>> = {};
  /** Time of the first frame of video that has no keyframe yet; null once it has one. */
  #keylessMs: number | null | undefined;
  #isComplete = false;
  /** The first video frames, with their display times in ms. */
  #first: (SizedPicture & { shownMs: number })[] = [];
  #videoBps = 0;
  #longestGopFrames = 0;
  readonly #leading = new LeadingFrames();
  readonly #sound = new SoundWatch();
  /** Null for video that is not H.264. */
  #closer: GopCloser | null = null;

  constructor(slot: Slot, session: number, disconnect: (reason: string) => void) {
    this.slot = slot;
    this.session = session;
    this.disconnect = disconnect;
  }

  /** Returns why viewers get nothing or not everything of the publisher, or not on all devices. */
  get reasons(): readonly string[] {
    const isWithoutMedia = this.isIdle && this.lastMediaMs === null;
    const now = [...(isWithoutMedia ? [NO_MEDIA] : []), ...(this.#sound.hasStopped ? [NO_SOUND] : [])];
    return [...now, ...this.leftOut.all];
  }

  /** Returns the tracks once both are known or the wait for the second is over, or else null. */
  get tracks(): PeriodTracks | null {
    if (!this.#isComplete) return null;
    const video = this.#video;
    const longestGopSec = video === null || video.frameRate <= 0 ? 0 : this.#longestGopFrames / video.frameRate;
    return { video, audio: this.#audio ?? this.#silentAudio, longestGopSec, videoBps: this.#videoBps };
  }

  /**
   * Records the probable parameters of audio, because the stream had audio before or the publisher announced it. If it
   * does not arrive in time, the stream gets a silent track with them. Only the first call has an effect.
   */
  expect(config: TrackConfig): void {
    if (!this.#isComplete) this.#expectedAudio ??= config;
  }

  /**
   * Parameters of the silent track of a publisher whose audio has not arrived. Video always has one. If audio came
   * later or from another publisher, players would wait for it where there is none.
   */
  get #silentAudio(): TrackConfig | null {
    return this.#expectedAudio ?? (this.#video === null ? null : usualAacConfig(2));
  }

  /** Records whether media arrived in the last `limitMs`. Returns the change since the last call, or null. */
  noteIdle(nowMs: number, limitMs: number): 'idle' | 'resumed' | null {
    const isIdle = nowMs - (this.lastMediaMs ?? this.connectedMs) > limitMs;
    if (isIdle === this.isIdle) return null;
    this.isIdle = isIdle;
    return isIdle ? 'idle' : 'resumed';
  }

  /**
   * Records that an event was received, before a watermark is drawn. Reports a track that has frames but no decoder
   * configuration, and video without a keyframe.
   */
  received(event: LiveEvent): void {
    if (event.type === 'config') {
      this.#undescribedMs[event.config.kind] = null;
      this.leftOut.remove(UNDESCRIBED[event.config.kind]);
      return;
    }
    const { kind, dtsMs } = event.unit;
    if (kind === 'video') this.#noteKey(event.unit);
    const sinceMs = this.#undescribedMs[kind];
    if (sinceMs === undefined) this.#undescribedMs[kind] = dtsMs;
    else if (sinceMs !== null && dtsMs - sinceMs >= TRACK_WAIT_MS) this.leftOut.add(UNDESCRIBED[kind]);
  }

  #noteKey({ dtsMs, isKey }: AccessUnit): void {
    if (isKey) {
      this.#keylessMs = null;
      this.leftOut.remove(NO_KEYFRAME);
    } else if (this.#keylessMs === undefined) this.#keylessMs = dtsMs;
    else if (this.#keylessMs !== null && dtsMs - this.#keylessMs >= KEY_WAIT_MS) this.leftOut.add(NO_KEYFRAME);
  }

  /** Processes an event. Returns true if the tracks changed after they were complete. */
  note(event: LiveEvent, wireBytes: number): boolean {
    if (event.type === 'config') return this.#configure(event.config);
    this.lastMediaMs = Date.now();
    this.meter.count(event.unit.kind, wireBytes);
    this.receivedBytes += wireBytes;
    this.#firstDtsMs ??= event.unit.dtsMs;
    this.#sound.note(event.unit);
    if (!this.#isComplete) this.#complete(event.unit, event.unit.dtsMs - this.#firstDtsMs);
    if (event.unit.kind === 'video') this.#lastVideoMs = event.unit.dtsMs;
    return this.#beginVideo(event.unit) || this.#switchAudio(event.unit);
  }

  /** Adds announced video to the tracks if this frame is its first keyframe. */
  #beginVideo({ kind, isKey }: AccessUnit): boolean {
    if (this.#nextVideo === null || kind !== 'video' || !isKey) return false;
    [this.#video, this.#nextVideo] = [this.#nextVideo, null];
    return true;
  }

  /** Switches to changed audio parameters if this frame can begin with them. */
  #switchAudio({ kind, isKey, dtsMs }: AccessUnit): boolean {
    const next = this.#nextAudio;
    if (next === null) return false;
    const isVideoAway = kind === 'audio' && dtsMs - (this.#lastVideoMs ?? dtsMs) >= TRACK_WAIT_MS;
    if (isVideoAway || (kind === 'video' && isKey)) {
      this.leftOut.remove(AUDIO_CHANGE);
      [this.#audio, this.#nextAudio] = [next.config, null];
      return true;
    }
    if (kind === 'audio') next.fromMs ??= dtsMs;
    if (next.fromMs !== null && dtsMs - next.fromMs >= TRACK_WAIT_MS) this.leftOut.add(AUDIO_CHANGE);
    return false;
  }

  /**
   * Returns a frame for viewers, or null if it is dropped: because viewers who join could not decode it, because the
   * video has not begun yet, or because it is audio whose parameters apply from the next keyframe on.
   */
  shown(unit: AccessUnit): AccessUnit | null {
    if (unit.kind === 'audio') return this.#nextAudio === null ? unit : null;
    if (this.#nextVideo !== null) return null;
    if (this.#closer === null) return unit;
    if (!this.#leading.take(unit)) return this.#closer.take(unit);
    this.#closer.drop(unit);
    this.leftOut.add(OPEN_GOPS);
    return null;
  }

  #complete(unit: AccessUnit, waitedMs: number): void {
    if (unit.kind === 'video') {
      this.#first.push({ shownMs: unit.ptsMs, isKey: unit.isKey, bytes: unit.bytes.length });
      if (unit.isKey && this.#longestGopFrames === 0) this.#longestGopFrames = readLongestGop(unit.bytes);
    }
    const hasBoth = this.#video !== null && this.#audio !== null;
    const isMeasured = this.#first.length >= MEASURED_FRAMES;
    const isAnnounced = this.#video !== null && this.#first.length === 0;
    const isKeyless = this.#video !== null && !isAnnounced && !this.#first.some(({ isKey }) => isKey);
    const isComing = isKeyless || (this.#video === null && typeof this.#undescribedMs.video === 'number');
    const limitMs = isComing ? DESCRIPTION_WAIT_MS : isAnnounced ? FIRST_FRAME_WAIT_MS : TRACK_WAIT_MS;
    const isOver = waitedMs >= limitMs && (this.#video !== null || this.#audio !== null);
    if (!isOver && !(hasBoth && isMeasured && !isKeyless)) return;
    this.#isComplete = true;
    if ((isAnnounced || isKeyless) && this.#audio !== null) [this.#nextVideo, this.#video] = [this.#video, null];
    const measured = measureFrameRate(this.#first.map(({ shownMs }) => shownMs));
    if (this.#video?.frameRate === 0) this.#video = { ...this.#video, frameRate: measured };
    const rates = { frameRate: this.#video?.frameRate ?? 0, longestGopSec: this.tracks?.longestGopSec ?? 0 };
    this.#videoBps = estimateBps(this.#first, rates);
    this.#first = [];
  }

  #configure(config: TrackConfig): boolean {
    const limit = describePlaybackLimit(config);
    if (limit !== null) this.leftOut.add(limit);
    const before =
      config.kind === 'video' ? this.#video : (this.#audio ?? (this.#isComplete ? this.#silentAudio : null));
    if (config.kind === 'audio') {
      // The same change may be announced repeatedly.
      if (this.#nextAudio?.config.sampleEntry.equals(config.sampleEntry) === true) return false;
      this.#nextAudio = null;
      this.leftOut.remove(AUDIO_CHANGE);
    }
    if (before?.sampleEntry.equals(config.sampleEntry) === true) return false;
    if (config.kind === 'audio') {
      if (this.#isComplete && this.#video !== null) {
        this.#nextAudio = { config, fromMs: null };
        return false;
      }
      this.#audio = config;
    } else {
      const described = { ...config, frameRate: config.frameRate || (this.#video?.frameRate ?? 0) };
      this.#closer = isH264Entry(config.sampleEntry) ? new GopCloser(config.sampleEntry) : null;
      if (this.#isComplete && this.#video === null) {
        this.#nextVideo = described;
        return false;
      }
      this.#video = described;
    }
    return this.#isComplete;
  }
}

/** Waits until the media of publishers is out of their watermark encoders, for at most 2 s. */
export async function finishMedia(publishers: readonly LivePublisher[]): Promise<void> {
  const finished = Promise.all(publishers.map((publisher) => publisher.finish()));
  await Promise.race([finished, sleep(FINISH_MS, undefined, { ref: false })]);
}

function describeMissing(what: 'picture' | 'sound', config: string): string {
  const missing = `expected its decoder configuration (${config}), got frames alone`;
  return `The ${what} is left out: ${missing}. Restart the encoder.`;
}
