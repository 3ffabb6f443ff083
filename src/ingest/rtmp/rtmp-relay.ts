import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { RelayState } from '../../catalog/live/live-stream.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { AddressRules } from '../../lib/outbound/address-rules.ts';
import type { FlvTag } from '../../media/live/flv/flv-tag.ts';
import { type Amf0, readAmf0, writeAmf0 } from './amf0.ts';
import { ChunkReader, type RtmpMessage, writeChunks } from './chunk-stream.ts';
import { openGuardedSocket } from './guarded-socket.ts';
import type { RelayTarget } from './relay-target.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Duration of a connection, in ms, after which the next pause is the shortest again. */
const STEADY_MS = 60_000;
const SILENT_MS = 15_000;
/**
 * Maximum number of bytes queued for a slow receiver. If it is exceeded, frames are dropped up to the next keyframe.
 */
const MAX_QUEUED_BYTES = 8 * 2 ** 20;
const CHUNK_BYTES = 65_536;
const HANDSHAKE_BYTES = 1 + 2 * 1536;
const MAX_RESPONSE_BYTES = 65_536;
const COMMAND = 20;
const SET_CHUNK_SIZE = 1;
const PUBLISH_STREAM = 1;
const CREATE_TRANSACTION = 4;

/**
 * Publishes its input unchanged to another server, and reconnects with growing pauses. A slow receiver never delays the
 * input.
 */
export class RtmpRelay {
  readonly #target: RelayTarget;
  readonly #rules: AddressRules;
  readonly #report: (error: Error) => void;
  readonly #headers = new Map<string, FlvTag>();
  #socket: Socket | null = null;
  #isPublishing = false;
  #isInStep = false;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #reason: string | null = null;
  #connectedMs = 0;
  #isClosed = false;

  constructor(target: RelayTarget, deps: { rules: AddressRules; report(error: Error): void }) {
    this.#target = target;
    this.#rules = deps.rules;
    this.#report = deps.report;
    this.#connect();
  }

  get state(): RelayState {
    const { host } = this.#target;
    if (this.#isPublishing) return { host, state: 'running', reason: null };
    return { host, state: this.#reason === null ? 'connecting' : 'failed', reason: this.#reason };
  }

  push(tag: FlvTag): void {
    const header = headerKind(tag);
    if (header !== null) this.#headers.set(header, tag);
    if (!this.#isPublishing || this.#socket === null) return;
    if (this.#socket.writableLength > MAX_QUEUED_BYTES) this.#isInStep = false;
    if (!this.#isInStep && header === null) {
      if (!isKeyframe(tag)) {
        metrics.liveDropped.inc({ reason: 'relay' });
        return;
      }
      this.#isInStep = true;
      for (const one of this.#headers.values()) this.#sendTag({ ...one, timestampMs: tag.timestampMs });
    }
    this.#sendTag(tag);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#socket?.end();
    this.#socket?.destroySoon();
  }

  #connect(): void {
    this.#connectedMs = Date.now();
    openGuardedSocket(this.#target, this.#rules)
      .then((socket) => this.#converse(socket))
      .catch((error: Error) => this.#lose(error));
  }

  #converse(socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    const reader = new ChunkReader({ messageBytes: MAX_RESPONSE_BYTES });
    let greeting: Buffer | null = Buffer.alloc(0);
    socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('Received nothing for 15 s.')));
    socket.on('error', (error) => this.#lose(error));
    socket.on('close', () => this.#lose(new Error('The connection closed.')));
    socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(1528)]));
    socket.on('data', (bytes: Buffer) => {
      try {
        let rest = bytes;
        if (greeting !== null) {
          greeting = Buffer.concat([greeting, bytes]);
          if (greeting.length < HANDSHAKE_BYTES) return;
          socket.write(greeting.subarray(1, 1537));
          rest = greeting.subarray(HANDSHAKE_BYTES);
          greeting = null;
          this.#begin();
        }
        for (const message of reader.push(rest)) this.#take(message);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #begin(): void {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(CHUNK_BYTES);
    this.#send({ type: SET_CHUNK_SIZE, timestampMs: 0, streamId: 0, body: size }, 2, 128);
    const { app, tcUrl } = this.#target;
    this.#command(0, 'connect', 1, { app, type: 'nonprivate', flashVer: 'FMLE/3.0', tcUrl });
  }

  #take({ type, body }: RtmpMessage): void {
    if (type !== COMMAND) return;
    const [name, transaction, , info] = readAmf0(body);
    if (name === '_result' && transaction === 1) {
      const { streamKey } = this.#target;
      this.#command(0, 'releaseStream', 2, null, streamKey);
      this.#command(0, 'FCPublish', 3, null, streamKey);
      this.#command(0, 'createStream', CREATE_TRANSACTION, null);
    } else if (name === '_result' && transaction === CREATE_TRANSACTION) {
      this.#command(PUBLISH_STREAM, 'publish', 5, null, this.#target.streamKey, 'live');
    } else if (name === 'onStatus' && codeOf(info) === 'NetStream.Publish.Start') {
      this.#isPublishing = true;
      this.#reason = null;
      // From now on the relay only sends, so a silent receiver is not an error.
      this.#socket?.setTimeout(0);
    } else if (name === '_error' || codeOf(info).startsWith('NetStream.Publish.')) {
      throw new Error(`The receiver refused the relay: ${codeOf(info) || 'error'}.`);
    }
  }

  #command(streamId: number, ...values: Amf0[]): void {
    this.#send({ type: COMMAND, timestampMs: 0, streamId, body: writeAmf0(...values) }, 3, CHUNK_BYTES);
  }

  #sendTag({ type, timestampMs, body }: FlvTag): void {
    // RTMP has 32-bit timestamps, and those of a publisher that starts at 2^31 or more are negative.
    const message = { type, timestampMs: timestampMs >>> 0, streamId: PUBLISH_STREAM, body };
    this.#send(message, type === 8 ? 4 : 6, CHUNK_BYTES);
  }

  #send(message: RtmpMessage, chunkId: number, chunkBytes: number): void {
    if (this.#socket?.writable === true) this.#socket.write(writeChunks(message, chunkId, chunkBytes));
  }

  #lose(error: Error): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#isPublishing = false;
    this.#isInStep = false;
    if (this.#isClosed || this.#timer !== null) return;
    this.#reason = error.message;
    if (Date.now() - this.#connectedMs > STEADY_MS) this.#failures = 0;
    // A failed receiver is reported once, not for each attempt.
    if (this.#failures === 0) this.#report(new Error(`The relay to ${this.#target.host} failed.`, { cause: error }));
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#connect();
    }, pauseMs);
  }
}

function codeOf(info: Amf0 | undefined): string {
  if (info === undefined || info === null || typeof info !== 'object' || Array.isArray(info)) return '';
  return typeof info.code === 'string' ? info.code : '';
}

/**
 * Returns the kind of header if a tag contains a decoder configuration, which a receiver needs before any frame.
 * Returns null for other tags.
 */
function headerKind({ type, body }: FlvTag): string | null {
  const first = body[0] ?? 0;
  if (type === 8) return first >> 4 === 10 && body[1] === 0 ? 'audio' : null;
  if ((first & 0x80) !== 0) return (first & 0x0f) === 0 ? 'video' : null;
  return (first & 0x0f) === 7 && body[1] === 0 ? 'video' : null;
}

function isKeyframe({ type, body }: FlvTag): boolean {
  return type === 9 && (((body[0] ?? 0) >> 4) & 7) === 1;
}
