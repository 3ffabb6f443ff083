import { BrokenMedia } from '../bmff/broken-media.ts';
import { aacConfig, usualAacConfig } from '../live/tracks/aac-config.ts';
import type { TrackConfig } from '../live/tracks/access-unit.ts';
import { readAdts } from '../live/tracks/adts.ts';
import { splitAnnexB } from '../live/tracks/annex-b.ts';
import type { ForeignAudio, IngestEvent } from '../live/tracks/foreign-audio.ts';
import { LeftOut } from '../live/tracks/left-out.ts';
import { NalTrack } from '../live/tracks/nal-track.ts';
import { WrappingClock } from '../live/tracks/wrapping-clock.ts';
import { opusSamples, readOpusPackets } from './opus-packets.ts';
import { type PesPacket, PesReader } from './pes-reader.ts';
import { type ElementaryStream, readElementaryStreams, readProgramPids } from './program-map.ts';
import { SectionReader } from './section-reader.ts';
import { type TsPacket, TsPacketReader } from './ts-packets.ts';

const PROGRAMS_PID = 0;
const CLOCK_RANGE = 2 ** 33;
const TICKS_PER_MS = 90;
const OPUS_SAMPLES_PER_MS = 48;
const MAX_VIDEO_BYTES = 16 * 2 ** 20;
const MAX_AUDIO_BYTES = 256 * 1024;

/** `keepsCut`: a PES packet without its end is still read, because it contains several frames. */
type Track = {
  pid: number;
  pes: PesReader;
  keepsCut: boolean;
  read(pes: PesPacket, isBroken: boolean): IngestEvent[];
};

/**
 * Demuxes a transport stream (ISO 13818-1) from an encoder: the first video and the first audio track of its first
 * program. Bytes arrive in chunks of any size. If packets are lost, only the frames that they belong to are dropped.
 */
export class TsDemuxer {
  readonly #packets = new TsPacketReader();
  readonly #programs = new SectionReader();
  /** Clock shared by both tracks, so that they stay in sync when it wraps. */
  readonly #clock = new WrappingClock(CLOCK_RANGE);
  #map: { pid: number; sections: SectionReader } | null = null;
  #tracks = new Map<number, Track>();
  #described = '';
  #leftOut: readonly string[] = [];
  #expectedAudio: TrackConfig | null = null;

  /** Bytes of incomplete video and audio packets. */
  get heldBytes(): number {
    return [...this.#tracks.values()].reduce((sum, { pes }) => sum + pes.heldBytes, 0);
  }

  /** Readable reasons why streams of the program are not used. It is a new array whenever the program changes. */
  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  /** Probable parameters of the audio in the program map, or null if no audio is announced. */
  get expectedAudio(): TrackConfig | null {
    return this.#expectedAudio;
  }

  /** Adds the next bytes. `faults` are errors in the bytes and unsupported content. */
  push(bytes: Buffer): { events: IngestEvent[]; faults: BrokenMedia[] } {
    const events: IngestEvent[] = [];
    const faults: BrokenMedia[] = [];
    for (const packet of this.#packets.push(bytes)) {
      try {
        events.push(...this.#take(packet));
      } catch (error) {
        if (!(error instanceof BrokenMedia)) throw error;
        faults.push(error);
      }
    }
    return { events, faults };
  }

  /** Ends the stream and returns the frames that were still open, except those whose end is missing. */
  end(): IngestEvent[] {
    const ended = [...this.#tracks.values()].flatMap((track) => {
      const last = track.pes.end();
      return last === null || (last.isCut && !track.keepsCut) ? [] : this.#read(track, last.pes);
    });
    this.#tracks.clear();
    return ended.toSorted((a, b) => timeOf(a) - timeOf(b));
  }

  /** Reads the frames of the last PES packet. Drops it if it is damaged. */
  #read(track: Track, pes: PesPacket): IngestEvent[] {
    try {
      return track.read(pes, false);
    } catch (error) {
      if (error instanceof BrokenMedia) return [];
      throw error;
    }
  }

  #take(packet: TsPacket): IngestEvent[] {
    if (packet.pid === PROGRAMS_PID) {
      const section = this.#programs.push(packet);
      const [pid] = (section === null ? null : readProgramPids(section)) ?? [];
      if (pid !== undefined && pid !== this.#map?.pid) this.#map = { pid, sections: new SectionReader() };
      return [];
    }
    if (packet.pid === this.#map?.pid) {
      const section = this.#map.sections.push(packet);
      const streams = section === null ? null : readElementaryStreams(section);
      if (streams !== null) this.#choose(streams);
      return [];
    }
    const track = this.#tracks.get(packet.pid);
    return track?.pes.push(packet).flatMap((pes) => track.read(pes, packet.isBroken)) ?? [];
  }

  #choose(streams: readonly ElementaryStream[]): void {
    const described = JSON.stringify(streams);
    if (described === this.#described) return;
    this.#described = described;
    const video = streams.find(({ codec }) => codec === 'h264' || codec === 'hevc');
    const audio = streams.find(({ codec }) => codec !== null && codec !== 'h264' && codec !== 'hevc');
    this.#expectedAudio = audio === undefined ? null : usualAacConfig(audio.channels ?? 2);
    const tracks = [video, audio].flatMap((stream) => (stream === undefined ? [] : [this.#trackOf(stream)]));
    this.#tracks = new Map(tracks.map((track) => [track.pid, track]));
    this.#leftOut = streams.filter(({ pid }) => !this.#tracks.has(pid)).map(whyLeftOut);
    if (tracks.length > 0) return;
    const types = streams.map(({ streamType }) => `0x${streamType.toString(16)}`).join(', ');
    throw new LeftOut(`Expected H.264, HEVC, AAC, MP2, AC-3 or Opus, got stream types ${types || 'of none'}.`);
  }

  #trackOf({ pid, codec, channels }: ElementaryStream): Track {
    switch (codec) {
      case 'h264':
      case 'hevc':
        return { pid, pes: new PesReader(MAX_VIDEO_BYTES), keepsCut: false, read: this.#videoReader(codec) };
      case 'aac':
        return { pid, pes: new PesReader(MAX_AUDIO_BYTES), keepsCut: true, read: this.#aacReader() };
      default: {
        const format = codec ?? 'mp2';
        const read = (pes: PesPacket) => this.#foreign(pes, format, channels ?? 2);
        return { pid, pes: new PesReader(MAX_AUDIO_BYTES), keepsCut: false, read };
      }
    }
  }

  #videoReader(codec: 'h264' | 'hevc') {
    const track = new NalTrack(codec);
    return ({ pts, dts, payload }: PesPacket): IngestEvent[] => {
      if (pts === null || dts === null) return [];
      const picture = track.take(splitAnnexB(payload));
      if (picture === null) return [];
      const dtsMs = this.#clock.unwrap(dts) / TICKS_PER_MS;
      const ptsMs = this.#clock.unwrap(pts) / TICKS_PER_MS;
      const { config, isKey, bytes } = picture;
      const events: IngestEvent[] = config === null ? [] : [{ type: 'config', config }];
      if (bytes.length > 0) events.push({ type: 'unit', unit: { kind: 'video', dtsMs, ptsMs, isKey, bytes } });
      return events;
    };
  }

  /**
   * Creates a reader of AAC frames. A frame may end in a later PES packet. The time of a PES packet applies to the
   * first frame that begins in it.
   */
  #aacReader() {
    let rest: Buffer = Buffer.alloc(0);
    let known: Buffer | null = null;
    let frameMs = 0;
    let nextMs = 0;
    return ({ pts, payload }: PesPacket, isBroken: boolean): IngestEvent[] => {
      if (isBroken) rest = Buffer.alloc(0);
      const startMs = pts === null ? null : this.#clock.unwrap(pts) / TICKS_PER_MS;
      // A frame that began in an earlier packet continues with its time.
      let ptsMs = rest.length > 0 || startMs === null ? nextMs : startMs;
      const begunMs = rest.length > 0 ? startMs : null;
      const bytes = Buffer.concat([rest, payload]);
      const { frames, usedBytes } = readAdts(bytes);
      rest = Buffer.from(bytes.subarray(usedBytes));
      const events: IngestEvent[] = [];
      frames.forEach((frame, index) => {
        if (known?.equals(frame.config) !== true) {
          const config = aacConfig(frame.config);
          known = frame.config;
          frameMs = (config.frameTicks * 1000) / config.timescale;
          events.push({ type: 'config', config });
        }
        if (index === 1 && begunMs !== null) ptsMs = begunMs;
        events.push({ type: 'unit', unit: { kind: 'audio', dtsMs: ptsMs, ptsMs, isKey: true, bytes: frame.bytes } });
        ptsMs += frameMs;
      });
      nextMs = frames.length === 1 && begunMs !== null ? begunMs : ptsMs;
      return events;
    };
  }

  #foreign({ pts, payload }: PesPacket, format: ForeignAudio['format'], channels: number): IngestEvent[] {
    if (pts === null) return [];
    const ptsMs = this.#clock.unwrap(pts) / TICKS_PER_MS;
    if (format !== 'opus') return [{ type: 'foreign', audio: { format, channels, ptsMs, bytes: payload } }];
    let samples = 0;
    return readOpusPackets(payload).map((bytes) => {
      const startMs = ptsMs + samples / OPUS_SAMPLES_PER_MS;
      samples += opusSamples(bytes);
      return { type: 'foreign', audio: { format, channels, ptsMs: startMs, bytes } };
    });
  }
}

function whyLeftOut({ codec, name }: ElementaryStream): string {
  if (codec !== null)
    return `An additional track (${name}) is left out: only one video track and one audio track are used.`;
  return `A track is left out: expected H.264, HEVC, AAC, MP2, AC-3 or Opus over SRT, got ${name}.`;
}

function timeOf(event: IngestEvent): number {
  switch (event.type) {
    case 'config':
      return Number.NEGATIVE_INFINITY;
    case 'unit':
      return event.unit.dtsMs;
    case 'foreign':
      return event.audio.ptsMs;
  }
}
