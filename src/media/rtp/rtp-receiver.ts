import { VIDEO_TIMESCALE } from '../live/tracks/access-unit.ts';
import type { IngestEvent } from '../live/tracks/foreign-audio.ts';
import { NalTrack } from '../live/tracks/nal-track.ts';
import { WrappingClock } from '../live/tracks/wrapping-clock.ts';
import { H264Depacketizer } from './h264-depacketizer.ts';
import { PauseWatch } from './pause-watch.ts';
import { ReorderBuffer } from './reorder-buffer.ts';
import {
  readSenderReports,
  type SenderReport,
  writeBitrateLimit,
  writeNack,
  writePictureLoss,
  writeReceiverReport,
} from './rtcp.ts';
import { isRtcp, type RtpPacket, readRtp } from './rtp-packet.ts';
import type { OfferedTrack } from './sdp-offer.ts';

const OPUS_RATE = 48_000;
export const OPUS_CHANNELS = 2;
/** Interval between keyframe requests, in ms. Segments begin at keyframes, which a browser sends only on request. */
const KEYFRAME_EVERY_MS = 2_000;
/**
 * Minimum interval between keyframe requests, in ms, after a loss and while no frame arrives. While a screen is still,
 * the frames that arrive are therefore keyframes, which can be repeated until the next frame.
 */
const KEYFRAME_LEAST_MS = 300;
const LIMIT_BPS = 20_000_000;
const CLOCK_RANGE = 2 ** 32;

type Track = {
  kind: 'video' | 'audio';
  rate: number;
  buffer: ReorderBuffer;
  clock: WrappingClock;
  pauses: PauseWatch<RtpPacket>;
  /** Time of this process's clock at timestamp 0, in ms. */
  baseMs: number | null;
  /** Least transit time so far: arrival on this process's clock, minus the time of the packet, in ms. */
  minTransitMs: number;
  ssrc: number | null;
  highestSequence: number;
  report: { sent: SenderReport; atMs: number; wallAtZeroMs: number } | null;
};

/** Returns the state of a new source, which has its own sequence numbers and times (RFC 3550 section 5.1). */
function freshSource(): Omit<Track, 'kind' | 'rate'> {
  const clock = new WrappingClock(CLOCK_RANGE);
  const pauses = new PauseWatch<RtpPacket>();
  const times = { clock, pauses, baseMs: null, minTransitMs: Number.POSITIVE_INFINITY, report: null };
  return { buffer: new ReorderBuffer(), ssrc: null, highestSequence: 0, ...times };
}

/**
 * Receives the tracks of one RTP sender: H.264 and Opus, with their times on one clock. Does no I/O: the caller must
 * call `feedback` several times per second and send the returned packets.
 */
export class RtpReceiver {
  readonly #tracks = new Map<number, Track>();
  readonly #depacketizer = new H264Depacketizer();
  readonly #nals = new NalTrack('h264');
  #needsKey = true;
  #requestedMs = Number.NEGATIVE_INFINITY;
  #pictureMs = Number.POSITIVE_INFINITY;
  /** Whether both current sources have sent reports. */
  #isReported = false;

  constructor(tracks: readonly OfferedTrack[]) {
    for (const { kind, payloadType } of tracks) {
      const rate = kind === 'video' ? VIDEO_TIMESCALE : OPUS_RATE;
      this.#tracks.set(payloadType, { kind, rate, ...freshSource() });
    }
  }

  /** Number of packets that wait for earlier ones. */
  get heldPackets(): number {
    return [...this.#tracks.values()].reduce((sum, { buffer }) => sum + buffer.waiting, 0);
  }

  /** Processes an RTP or RTCP packet. Throws BrokenMedia for parameter sets that cannot be parsed. */
  push(bytes: Buffer, nowMs: number): IngestEvent[] {
    if (isRtcp(bytes)) {
      for (const report of readSenderReports(bytes)) this.#note(report, nowMs);
      return [];
    }
    const packet = readRtp(bytes);
    const track = packet === null ? undefined : this.#tracks.get(packet.payloadType);
    if (packet === null || track === undefined) return [];
    if (track.ssrc !== packet.ssrc) {
      Object.assign(track, { ...freshSource(), ssrc: packet.ssrc });
      this.#isReported = false;
    }
    this.#noteTransit(track, packet, nowMs);
    track.highestSequence = packet.sequence;
    const copy = { ...packet, payload: Buffer.from(packet.payload) };
    return track.buffer
      .push(copy, nowMs)
      .flatMap((ordered) =>
        track.kind === 'video' ? this.#video(track, ordered, nowMs) : this.#audio(track, ordered.packet, nowMs),
      );
  }

  /** Returns the packets to send to the sender now: reports, and requests for missing packets and keyframes. */
  feedback(nowMs: number): Buffer[] {
    return [...this.#tracks.values()].flatMap((track) => {
      const { ssrc, highestSequence, report, buffer, kind } = track;
      if (ssrc === null) return [];
      const reception = { ssrc, highestSequence, lastReport: report?.sent ?? null };
      const messages = [writeReceiverReport(reception, nowMs - (report?.atMs ?? nowMs))];
      const missing = buffer.missing();
      if (missing.length > 0) messages.push(writeNack(ssrc, missing));
      if (kind !== 'video') return messages;
      messages.push(writeBitrateLimit(ssrc, LIMIT_BPS));
      const isStill = nowMs - this.#pictureMs > KEYFRAME_LEAST_MS;
      const leastMs = this.#needsKey || isStill ? KEYFRAME_LEAST_MS : KEYFRAME_EVERY_MS;
      if (nowMs - this.#requestedMs < leastMs) return messages;
      this.#requestedMs = nowMs;
      return [...messages, writePictureLoss(ssrc)];
    });
  }

  #video(track: Track, ordered: Parameters<H264Depacketizer['push']>[0], nowMs: number): IngestEvent[] {
    const { picture, isBroken } = this.#depacketizer.push(ordered);
    if (isBroken) this.#needsKey = true;
    if (picture === null) return [];
    this.#pictureMs = nowMs;
    const ms = this.#timeOf(track, picture.timestamp);
    const found = this.#nals.take(picture.nals);
    // Drop frames that refer to lost frames.
    if (found === null || (this.#needsKey && !found.isKey)) return [];
    if (found.isKey) this.#needsKey = false;
    const { config, isKey, bytes } = found;
    const events: IngestEvent[] = config === null ? [] : [{ type: 'config', config }];
    if (bytes.length > 0) events.push({ type: 'unit', unit: { kind: 'video', dtsMs: ms, ptsMs: ms, isKey, bytes } });
    return events;
  }

  #audio(track: Track, packet: RtpPacket, nowMs: number): IngestEvent[] {
    const { packets, shiftMs } = track.pauses.admit(packet, ownTimeOf(track, packet.timestamp), nowMs);
    // The last report describes the clock before the pause.
    if (shiftMs !== 0) track.report = null;
    // Before both tracks have reports, `#noteTransit` has already moved a clock that jumped ahead.
    if (track.baseMs !== null && (shiftMs > 0 || this.#isReported)) {
      track.baseMs += shiftMs;
      track.minTransitMs += shiftMs;
    }
    return packets.flatMap(({ timestamp, payload }): IngestEvent[] => {
      if (payload.length === 0) return [];
      const ptsMs = this.#timeOf(track, timestamp);
      return [{ type: 'foreign', audio: { format: 'opus', channels: OPUS_CHANNELS, ptsMs, bytes: payload } }];
    });
  }

  /** Returns the time of a timestamp, in ms. */
  #timeOf(track: Track, timestamp: number): number {
    return (track.baseMs ?? 0) + ownTimeOf(track, timestamp);
  }

  /**
   * Sets the clock base of a new source. Until both tracks have sender reports, the offset between the tracks is that
   * of their fastest packets: browsers send the first ones up to 0.2 s late.
   */
  #noteTransit(track: Track, { timestamp }: RtpPacket, nowMs: number): void {
    const transitMs = nowMs - ownTimeOf(track, timestamp);
    track.baseMs ??= transitMs;
    if (this.#isReported || transitMs >= track.minTransitMs) return;
    track.minTransitMs = transitMs;
    this.#align(({ minTransitMs }) => minTransitMs);
  }

  /** Sets the clock base of the audio from the sender's wall-clock times of both tracks. */
  #note(sent: SenderReport, nowMs: number): void {
    const track = [...this.#tracks.values()].find(({ ssrc }) => ssrc === sent.ssrc);
    if (track === undefined) return;
    const ticks = track.clock.unwrap(sent.timestamp);
    track.report = { atMs: nowMs, sent, wallAtZeroMs: sent.wallMs - (ticks * 1000) / track.rate };
    track.pauses.settle();
    if ([...this.#tracks.values()].some(({ report }) => report === null)) return;
    this.#isReported = true;
    this.#align(({ report }) => report?.wallAtZeroMs ?? 0);
  }

  /** Moves the audio to the clock of the video. `zeroMs` returns the time of timestamp 0 of a track, on any clock. */
  #align(zeroMs: (track: Track) => number): void {
    const [video, audio] = ['video', 'audio'].map((kind) =>
      [...this.#tracks.values()].find((one) => one.kind === kind),
    );
    if (video?.baseMs == null || audio?.baseMs == null) return;
    audio.baseMs = video.baseMs + zeroMs(audio) - zeroMs(video);
  }
}

/** Returns the time of a timestamp on the sender's clock of the track, in ms. */
function ownTimeOf({ clock, rate }: Track, timestamp: number): number {
  return (clock.unwrap(timestamp) * 1000) / rate;
}
