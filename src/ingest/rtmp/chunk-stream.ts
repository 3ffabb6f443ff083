/** A complete RTMP message (Adobe RTMP 1.0 section 6.1). `timestampMs` has 32 bits and wraps. */
export type RtmpMessage = { type: number; timestampMs: number; streamId: number; body: Buffer };

/** Thrown for bytes that no valid client sends. The connection is then closed. */
export class BadRtmp extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadRtmp';
  }
}

/** Memory limits of a connection. */
export type ChunkLimits = { messageBytes: number };

type ChunkState = {
  timestampMs: number;
  deltaMs: number;
  length: number;
  type: number;
  streamId: number;
  extended: number | null;
  parts: Buffer[];
  gathered: number;
};

const MIN_CHUNK = 1;
const MAX_CHUNK = 0xffffff;
const EXTENDED = 0xffffff;
const MAX_CHUNK_STREAMS = 64;
const SET_CHUNK_SIZE = 1;
const ABORT = 2;
const HEADER_BYTES = [11, 7, 3, 0];

/** Assembles messages from the chunks of a connection (RTMP 1.0 section 5.3). The input may be split at any byte. */
export class ChunkReader {
  readonly #states = new Map<number, ChunkState>();
  readonly #limits: ChunkLimits;
  #chunkBytes = 128;
  #rest: Buffer = Buffer.alloc(0);

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  /** Bytes kept for incomplete messages. */
  get heldBytes(): number {
    let held = this.#rest.length;
    for (const { gathered } of this.#states.values()) held += gathered;
    return held;
  }

  /** Adds bytes. Returns the messages that they complete, except chunk stream control messages. */
  push(bytes: Buffer): RtmpMessage[] {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: RtmpMessage[] = [];
    for (;;) {
      const step = this.#readChunk(rest);
      if (step === null) break;
      rest = rest.subarray(step.usedBytes);
      if (step.message !== null && !this.#control(step.message)) messages.push(step.message);
    }
    // The remainder is copied, because a view would retain a large buffer for a few bytes.
    this.#rest = rest.length === 0 ? rest : Buffer.from(rest);
    return messages;
  }

  #control({ type, body }: RtmpMessage): boolean {
    if (type === SET_CHUNK_SIZE) {
      if (body.length < 4) throw new BadRtmp('Expected a chunk size of 4 bytes.');
      const size = body.readUInt32BE(0) & 0x7fffffff;
      if (size < MIN_CHUNK || size > MAX_CHUNK) throw new BadRtmp(`Expected a chunk size up to 16 MiB, got ${size}.`);
      this.#chunkBytes = size;
      return true;
    }
    if (type !== ABORT) return false;
    const state = body.length < 4 ? undefined : this.#states.get(body.readUInt32BE(0));
    if (state !== undefined) drop(state);
    return true;
  }

  /** Returns one chunk, or null if more bytes are needed. */
  #readChunk(bytes: Buffer): { usedBytes: number; message: RtmpMessage | null } | null {
    const basic = readBasicHeader(bytes);
    if (basic === null) return null;
    const state = this.#stateOf(basic.id, basic.format);
    const header = readMessageHeader(bytes, basic, state);
    if (header === null) return null;
    if (header.length > this.#limits.messageBytes) {
      throw new BadRtmp(`Expected a message of ${this.#limits.messageBytes} bytes at most, got ${header.length}.`);
    }
    const isFirst = state.gathered === 0;
    const size = Math.min(this.#chunkBytes, header.length - state.gathered);
    if (bytes.length < header.usedBytes + size) return null;
    if (isFirst) Object.assign(state, header.begins);
    state.parts.push(bytes.subarray(header.usedBytes, header.usedBytes + size));
    state.gathered += size;
    const usedBytes = header.usedBytes + size;
    if (state.gathered < state.length) {
      // The part is copied, so that an incomplete message does not retain the whole read buffer.
      state.parts[state.parts.length - 1] = Buffer.from(state.parts.at(-1) ?? []);
      return { usedBytes, message: null };
    }
    const body = state.parts.length === 1 ? (state.parts[0] ?? Buffer.alloc(0)) : Buffer.concat(state.parts);
    const { type, timestampMs, streamId } = state;
    drop(state);
    return { usedBytes, message: { type, timestampMs, streamId, body } };
  }

  #stateOf(id: number, format: number): ChunkState {
    const known = this.#states.get(id);
    if (known !== undefined) return known;
    if (format === 3) throw new BadRtmp(`Expected a header before the first chunk of chunk stream ${id}.`);
    if (this.#states.size >= MAX_CHUNK_STREAMS)
      throw new BadRtmp(`Expected ${MAX_CHUNK_STREAMS} chunk streams at most.`);
    const state = {
      timestampMs: 0,
      deltaMs: 0,
      length: 0,
      type: 0,
      streamId: 0,
      extended: null,
      parts: [],
      gathered: 0,
    };
    this.#states.set(id, state);
    return state;
  }
}

function drop(state: ChunkState): void {
  state.parts = [];
  state.gathered = 0;
}

type BasicHeader = { format: number; id: number; usedBytes: number };

function readBasicHeader(bytes: Buffer): BasicHeader | null {
  const [first, second, third] = bytes;
  if (first === undefined) return null;
  const format = first >> 6;
  const id = first & 0x3f;
  if (id > 1) return { format, id, usedBytes: 1 };
  if (second === undefined || (id === 1 && third === undefined)) return null;
  if (id === 0) return { format, id: second + 64, usedBytes: 2 };
  return { format, id: (third ?? 0) * 256 + second + 64, usedBytes: 3 };
}

type Begins = Pick<ChunkState, 'timestampMs' | 'deltaMs' | 'length' | 'type' | 'streamId' | 'extended'>;
type MessageHeader = { usedBytes: number; length: number; begins: Begins };

function readMessageHeader(bytes: Buffer, { format, usedBytes }: BasicHeader, state: ChunkState): MessageHeader | null {
  const headerBytes = HEADER_BYTES[format] ?? 0;
  let at = usedBytes + headerBytes;
  if (bytes.length < at) return null;
  const field = format === 3 ? (state.extended === null ? 0 : EXTENDED) : bytes.readUIntBE(usedBytes, 3);
  let extended: number | null = null;
  if (field === EXTENDED) {
    if (bytes.length < at + 4) return null;
    extended = bytes.readUInt32BE(at);
    // Some clients omit the extended timestamp in continued chunks. In that case these bytes are part of the message.
    if (format !== 3 || extended === state.extended) at += 4;
    else extended = state.extended;
  }
  const length = format <= 1 ? bytes.readUIntBE(usedBytes + 3, 3) : state.length;
  const begins = {
    ...timesOf(state, format, extended ?? field),
    length,
    type: state.type,
    streamId: state.streamId,
    extended,
  };
  if (format <= 1) begins.type = bytes.readUInt8(usedBytes + 6);
  if (format === 0) begins.streamId = bytes.readUInt32LE(usedBytes + 7);
  return { usedBytes: at, length: state.gathered > 0 ? state.length : length, begins };
}

/** A new message without its own header repeats the last delta (RTMP 1.0 section 5.3.1.2.4). */
function timesOf(state: ChunkState, format: number, value: number): { timestampMs: number; deltaMs: number } {
  if (format === 0) return { timestampMs: value, deltaMs: 0 };
  const deltaMs = format === 3 ? state.deltaMs : value;
  return { timestampMs: (state.timestampMs + deltaMs) >>> 0, deltaMs };
}

/** Splits a message into chunks of `chunkBytes`, with a full header first and then continuation headers. */
export function writeChunks(message: RtmpMessage, chunkId: number, chunkBytes: number): Buffer {
  const isExtended = message.timestampMs >= EXTENDED;
  // Each chunk repeats the extended timestamp (RTMP 1.0 section 5.3.1.3).
  const extended = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) extended.writeUInt32BE(message.timestampMs);
  const header = Buffer.alloc(12);
  header.writeUInt8(chunkId, 0);
  header.writeUIntBE(isExtended ? EXTENDED : message.timestampMs, 1, 3);
  header.writeUIntBE(message.body.length, 4, 3);
  header.writeUInt8(message.type, 7);
  header.writeUInt32LE(message.streamId, 8);
  const parts: Buffer[] = [header, extended];
  for (let at = 0; at < message.body.length || at === 0; at += chunkBytes) {
    if (at > 0) parts.push(Buffer.from([0xc0 | chunkId]), extended);
    parts.push(message.body.subarray(at, at + chunkBytes));
  }
  return Buffer.concat(parts);
}
