import { TS_PACKET_BYTES, type TsPacket } from './ts-packets.ts';

/**
 * A packet of an elementary stream. Times are on the 33-bit 90 kHz clock. If `dts` is absent in the packet, it equals
 * `pts`.
 */
export type PesPacket = { pts: number | null; dts: number | null; payload: Buffer };

const HEAD_BYTES = 9;
const TS_HEAD_BYTES = 4;

/**
 * Assembles the PES packets (ISO 13818-1 section 2.4.3.6) of one PID. Drops incomplete packets and packets larger than
 * `mostBytes`.
 */
export class PesReader {
  readonly #mostBytes: number;
  #pieces: Buffer[] | null = null;
  #gathered = 0;
  /** Size declared in the packet header. 0 if the packet ends at the next one. */
  #wholeBytes = 0;
  /** Whether the last payload fills its transport packet. Muxers pad the last one of a PES packet unless it fits. */
  #isFull = false;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of an incomplete packet. */
  get heldBytes(): number {
    return this.#gathered;
  }

  push({ isStart, isBroken, payload }: TsPacket): PesPacket[] {
    const ended: PesPacket[] = [];
    // The end of the open packet may be missing.
    if (isBroken) this.#drop();
    if (isStart) {
      const before = this.#take();
      if (before !== null) ended.push(before);
      this.#pieces = [];
    }
    if (this.#pieces === null) return ended;
    // Copy the payload: a view would retain the whole read buffer.
    this.#pieces.push(Buffer.from(payload));
    this.#gathered += payload.length;
    this.#isFull = payload.length === TS_PACKET_BYTES - TS_HEAD_BYTES;
    if (isStart && payload.length >= 6)
      this.#wholeBytes = payload.readUInt16BE(4) === 0 ? 0 : 6 + payload.readUInt16BE(4);
    if (this.#gathered > this.#mostBytes) this.#drop();
    else if (this.#wholeBytes > 0 && this.#gathered >= this.#wholeBytes) {
      const whole = this.#take();
      if (whole !== null) ended.push(whole);
    }
    return ended;
  }

  /** Ends the stream and returns the open packet. `isCut`: its end is probably missing. */
  end(): { pes: PesPacket; isCut: boolean } | null {
    const isCut = this.#wholeBytes === 0 ? this.#isFull : this.#gathered < this.#wholeBytes;
    this.#wholeBytes = isCut ? 0 : this.#wholeBytes;
    const pes = this.#take();
    return pes === null ? null : { pes, isCut };
  }

  #take(): PesPacket | null {
    const { pieces, wholeBytes } = { pieces: this.#pieces, wholeBytes: this.#wholeBytes };
    this.#drop();
    if (pieces === null) return null;
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    if (bytes === undefined || bytes.length < wholeBytes) return null;
    return readPes(wholeBytes === 0 ? bytes : bytes.subarray(0, wholeBytes));
  }

  #drop(): void {
    this.#pieces = null;
    this.#gathered = 0;
    this.#wholeBytes = 0;
  }
}

function readPes(bytes: Buffer): PesPacket | null {
  if (bytes.length < HEAD_BYTES || bytes.readUIntBE(0, 3) !== 1) return null;
  const times = bytes.readUInt8(7) >> 6;
  const payloadAt = HEAD_BYTES + bytes.readUInt8(8);
  if (payloadAt > bytes.length || payloadAt < HEAD_BYTES + (times === 3 ? 10 : times === 2 ? 5 : 0)) return null;
  const pts = times >= 2 ? readTime(bytes, HEAD_BYTES) : null;
  return { pts, dts: times === 3 ? readTime(bytes, HEAD_BYTES + 5) : pts, payload: bytes.subarray(payloadAt) };
}

/** Reads 33 bits in three parts, each followed by a marker bit. */
function readTime(bytes: Buffer, at: number): number {
  const high = (bytes.readUInt8(at) >> 1) & 7;
  const middle = bytes.readUInt16BE(at + 1) >> 1;
  const low = bytes.readUInt16BE(at + 3) >> 1;
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}
