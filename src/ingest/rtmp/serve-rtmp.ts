import type { Socket } from 'node:net';
import { Refused } from '../../lib/refused.ts';
import { BrokenMedia } from '../../media/bmff/broken-media.ts';
import type { FlvTag } from '../../media/live/flv/flv-tag.ts';
import { FlvTagReader } from '../../media/live/flv/flv-tag-reader.ts';
import {
  type EndedBy,
  type MediaInput,
  NO_DATA,
  type Publish,
  UNREADABLE,
} from '../../media/live/publishing/publisher.ts';
import { readKey } from '../../media/live/publishing/read-key.ts';
import { usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import { LeftOut, LeftOutReasons } from '../../media/live/tracks/left-out.ts';
import { type Amf0, BadAmf, readAmf0, writeAmf0 } from './amf0.ts';
import { BadRtmp, ChunkReader, type RtmpMessage, writeChunks } from './chunk-stream.ts';
import { createHandshake } from './handshake.ts';
import { MESSAGE } from './message.ts';
import { writeConnectResult } from './write-connect-result.ts';

/**
 * Maximum time until the publisher of a connection is accepted, in ms. `UNAUTHENTICATED_BYTES` limits the bytes
 * received until then.
 */
const UNAUTHENTICATED_MS = 10_000;
const UNAUTHENTICATED_BYTES = 64 * 1024;
/** Codec id in onMetaData and in audio tags. */
const AAC = 10;
/** Time without data after which a publisher counts as gone, in ms. */
const SILENT_MS = 15_000;
const MAX_MESSAGE = 16 * 2 ** 20;
const WINDOW_BYTES = 2_500_000;
const OUT_CHUNK_BYTES = 4096;
/** Number of consecutive damaged frames after which a publisher is disconnected. */
const MAX_FAULTS = 100;
const TEXT_MESSAGES: ReadonlySet<string> = new Set(['onTextData', 'onCaption', 'onCaptionInfo']);
const TEXT_LEFT_OUT =
  'Captions in data messages are dropped: live captions are not supported. Add them to the recording.';
const CONTROL_CHUNKS = 2;
const COMMAND_CHUNKS = 3;

export type RtmpSessionDeps = {
  /** Address of the publisher. */
  remote: string;
  publish: Publish;
  /** Called once when the publisher is accepted. */
  accepted(): void;
  report(error: Error): void;
};

/** Serves one publisher connection until it closes. Playback is not supported. */
export function serveRtmp(socket: Socket, deps: RtmpSessionDeps): void {
  new RtmpSession(socket, deps);
}

class RtmpSession {
  readonly #socket: Socket;
  readonly #deps: RtmpSessionDeps;
  readonly #handshake = createHandshake();
  readonly #reader = new ChunkReader({ messageBytes: MAX_MESSAGE });
  readonly #deadline: NodeJS.Timeout;
  readonly #closed = new AbortController();
  #isHandshaken = false;
  #receivedBytes = 0;
  #ackedBytes = 0;
  #app = '';
  #input: MediaInput | null = null;
  #isPublishing = false;
  #frameRate = 0;
  #faults = 0;
  readonly #leftOut = new LeftOutReasons();
  readonly #tags = new FlvTagReader();
  #clock = { lastMs: 0, unwrappedMs: 0 };
  /** Runs message handlers one after another, because `publish` waits for the database. */
  #task: Promise<void> = Promise.resolve();

  constructor(socket: Socket, deps: RtmpSessionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, SILENT_MS);
    socket.setTimeout(SILENT_MS, () => this.#end(NO_DATA, 'server'));
    this.#deadline = setTimeout(() => this.#end('no publish within 10 s', 'server'), UNAUTHENTICATED_MS);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(error.message, 'publisher'));
    socket.on('close', () => this.#end('the connection closed', 'publisher'));
  }

  #receive(bytes: Buffer): void {
    try {
      this.#receivedBytes += bytes.length;
      const held = this.#input === null ? this.#receivedBytes : 0;
      if (held > UNAUTHENTICATED_BYTES) throw new BadRtmp('Expected publish within the first 64 KiB.');
      const messages = this.#reader.push(this.#isHandshaken ? bytes : this.#shakeHands(bytes));
      this.#acknowledge();
      for (const message of messages) this.#take(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  #shakeHands(bytes: Buffer): Buffer {
    const { reply, rest } = this.#handshake.push(bytes);
    if (reply !== null) this.#socket.write(reply);
    if (rest === null) return Buffer.alloc(0);
    this.#isHandshaken = true;
    return rest;
  }

  #take(message: RtmpMessage): void {
    if (this.#input !== null && (message.type === MESSAGE.audio || message.type === MESSAGE.video)) {
      this.#takeMedia(message, this.#input);
      return;
    }
    // Metadata is handled immediately: the frame rate must be known before the decoder configuration that follows.
    if (this.#input !== null && message.type === MESSAGE.data) {
      this.#takeMetadata(readAmf0(message.body));
      return;
    }
    if (this.#isPublishing && this.#input === null) this.#socket.pause();
    this.#task = this.#task.then(() => this.#handle(message)).catch((error: unknown) => this.#fail(error));
  }

  async #handle(message: RtmpMessage): Promise<void> {
    if (this.#closed.signal.aborted) return;
    switch (message.type) {
      case MESSAGE.audio:
      case MESSAGE.video:
        if (this.#input !== null) this.#takeMedia(message, this.#input);
        return;
      case MESSAGE.data:
        this.#takeMetadata(readAmf0(message.body));
        return;
      case MESSAGE.command:
        return this.#command(readAmf0(message.body), message.streamId);
      case MESSAGE.amf3Command:
        return this.#command(readAmf0(message.body.subarray(1)), message.streamId);
    }
  }

  #takeMedia({ type, timestampMs, body }: RtmpMessage, input: MediaInput): void {
    const tag: FlvTag = { type: type === MESSAGE.audio ? 8 : 9, timestampMs: this.#unwrap(timestampMs), body };
    try {
      const event = this.#tags.read(tag, this.#frameRate);
      if (event !== null) input.push(event, body.length);
      input.relay(tag);
      this.#faults = 0;
    } catch (error) {
      if (!(error instanceof BrokenMedia)) throw error;
      if (error instanceof LeftOut) this.#leaveOut(error.message, input);
      else this.#fault(error, input);
    }
  }

  #fault(error: BrokenMedia, input: MediaInput): void {
    this.#faults += 1;
    if (this.#faults >= MAX_FAULTS) throw error;
    if (this.#faults === 1) this.#leaveOut(`Damaged media is left out. ${error.message}`, input);
  }

  #leaveOut(reason: string, input: MediaInput): void {
    if (this.#leftOut.add(reason)) this.#deps.report(new LeftOut(reason));
    input.leaveOut(reason);
  }

  /** Returns a timestamp that does not wrap. The 32-bit timestamps of RTMP, in milliseconds, wrap after 49 days. */
  #unwrap(timestampMs: number): number {
    this.#clock.unwrappedMs += (timestampMs - this.#clock.lastMs) | 0;
    this.#clock.lastMs = timestampMs;
    return this.#clock.unwrappedMs;
  }

  #takeMetadata([name, ...values]: Amf0[]): void {
    if (this.#input !== null && TEXT_MESSAGES.has(`${name}`)) this.#leaveOut(TEXT_LEFT_OUT, this.#input);
    const metadata = name === '@setDataFrame' ? values[1] : name === 'onMetaData' ? values[0] : null;
    if (metadata === null || typeof metadata !== 'object' || Array.isArray(metadata)) return;
    const rate = metadata?.framerate;
    if (typeof rate === 'number' && rate > 0 && rate <= 1_000) this.#frameRate = rate;
    const { audiocodecid: codec, stereo } = metadata ?? {};
    if (codec === AAC || codec === 'mp4a') this.#input?.expect?.(usualAacConfig(stereo === false ? 1 : 2));
  }

  async #command([first, transaction, ...values]: Amf0[], streamId: number): Promise<void> {
    const name = typeof first === 'string' ? first : '';
    switch (name) {
      case 'connect':
        this.#connect(transaction ?? 1, values[0] ?? null);
        return;
      case 'createStream':
        this.#send(COMMAND_CHUNKS, MESSAGE.command, 0, writeAmf0('_result', transaction ?? 0, null, 1));
        return;
      case 'releaseStream':
      case '_checkbw':
        this.#send(COMMAND_CHUNKS, MESSAGE.command, 0, writeAmf0('_result', transaction ?? 0, null, null));
        return;
      case 'FCPublish':
        this.#send(COMMAND_CHUNKS, MESSAGE.command, 0, writeAmf0('onFCPublish', 0, null, null));
        return;
      case 'publish':
        await this.#publish(typeof values[1] === 'string' ? values[1] : '', streamId);
        return;
      case 'FCUnpublish':
      case 'closeStream':
      case 'deleteStream':
        if (this.#input !== null) this.#end('the publisher stopped', 'publisher');
        return;
      case 'play':
        this.#status(streamId, 'error', 'NetStream.Play.StreamNotFound', 'This server accepts publishers only.');
        this.#end('This server accepts publishers only.', 'server');
        return;
      default:
        return;
    }
  }

  #connect(transaction: Amf0, options: Amf0): void {
    const app = options !== null && typeof options === 'object' && !Array.isArray(options) ? options.app : '';
    this.#app = typeof app === 'string' ? app.slice(0, 1_000) : '';
    const u32 = (value: number, ...more: number[]) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return Buffer.concat([bytes, Buffer.from(more)]);
    };
    this.#send(CONTROL_CHUNKS, MESSAGE.windowAck, 0, u32(WINDOW_BYTES));
    this.#send(CONTROL_CHUNKS, MESSAGE.peerBandwidth, 0, u32(WINDOW_BYTES, 2));
    this.#send(CONTROL_CHUNKS, MESSAGE.setChunkSize, 0, u32(OUT_CHUNK_BYTES));
    this.#send(COMMAND_CHUNKS, MESSAGE.command, 0, writeConnectResult(transaction));
  }

  async #publish(name: string, streamId: number): Promise<void> {
    if (this.#isPublishing) throw new BadRtmp('Expected one publish on a connection.');
    this.#isPublishing = true;
    const streamKey = readKey(name, this.#app);
    const slot = /^backup\b|-backup\b/.test(this.#app) ? 'backup' : 'primary';
    const { remote } = this.#deps;
    const disconnect = (reason: string) => this.#kick(streamId, reason);
    try {
      this.#input = await this.#deps.publish({ streamKey, slot, protocol: 'rtmp', remote, disconnect });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#status(streamId, 'error', 'NetStream.Publish.BadName', error.message);
      this.#socket.end();
      this.#end(error.message, 'server');
      return;
    }
    clearTimeout(this.#deadline);
    this.#deps.accepted();
    if (this.#closed.signal.aborted) {
      this.#input.end('the connection closed', 'publisher');
      return;
    }
    this.#status(streamId, 'status', 'NetStream.Publish.Start', 'Publishing.');
    this.#socket.resume();
  }

  #kick(streamId: number, reason: string): void {
    this.#status(streamId, 'status', 'NetStream.Unpublish.Success', reason);
    this.#end(reason, 'server');
  }

  #status(streamId: number, level: string, code: string, description: string): void {
    const info = { level, code, description };
    this.#send(COMMAND_CHUNKS, MESSAGE.command, streamId, writeAmf0('onStatus', 0, null, info));
  }

  #send(chunkId: number, type: number, streamId: number, body: Buffer): void {
    if (this.#socket.writable)
      this.#socket.write(writeChunks({ type, timestampMs: 0, streamId, body }, chunkId, OUT_CHUNK_BYTES));
  }

  #acknowledge(): void {
    if (this.#receivedBytes - this.#ackedBytes < WINDOW_BYTES / 2) return;
    this.#ackedBytes = this.#receivedBytes;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#receivedBytes % 2 ** 32);
    this.#send(CONTROL_CHUNKS, MESSAGE.ack, 0, bytes);
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    this.#deps.report(reason);
    const isOfMedia = error instanceof BadRtmp || error instanceof BadAmf || error instanceof BrokenMedia;
    this.#end(isOfMedia ? reason.message : UNREADABLE, 'server');
  }

  /** Ends the media once, and closes the connection after a short time for pending output. */
  #end(reason: string, by: EndedBy): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    clearTimeout(this.#deadline);
    this.#input?.end(reason, by);
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), 200).unref();
  }
}
