/** A transport stream packet (ISO 13818-1 section 2.4.3.2) with a payload. */
export type TsPacket = {
  pid: number;
  /** Whether a PES packet or a section begins in the packet. */
  isStart: boolean;
  /** Whether packets of this PID were lost before this one, or its encoder signals a discontinuity of the counter. */
  isBroken: boolean;
  payload: Buffer;
};

export const TS_PACKET_BYTES = 188;
const SYNC = 0x47;
const NULL_PID = 0x1fff;
/** Maximum number of PIDs. Encoders use only a few. */
const MAX_PIDS = 64;

/**
 * Reads packets from a byte stream in chunks of any size, and resynchronises after damage. Buffers less than two
 * packets. Returns duplicate packets once.
 */
export class TsPacketReader {
  #rest: Buffer = Buffer.alloc(0);
  readonly #counters = new Map<number, number>();

  push(bytes: Buffer): TsPacket[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const packets: TsPacket[] = [];
    let at = findSync(all, 0);
    while (at + TS_PACKET_BYTES <= all.length) {
      const packet = this.#read(all.subarray(at, at + TS_PACKET_BYTES));
      if (packet !== null) packets.push(packet);
      at = findSync(all, at + TS_PACKET_BYTES);
    }
    this.#rest = Buffer.from(all.subarray(at));
    return packets;
  }

  #read(packet: Buffer): TsPacket | null {
    const head = packet.readUInt32BE(0);
    const pid = (head >> 8) & NULL_PID;
    const isDamaged = (head & 0x800000) !== 0;
    const isScrambled = (head & 0xc0) !== 0;
    if (pid === NULL_PID || isDamaged || isScrambled || (head & 0x10) === 0) return null;
    const hasAdaptation = (head & 0x20) !== 0;
    const adaptationBytes = hasAdaptation ? 1 + packet.readUInt8(4) : 0;
    if (4 + adaptationBytes >= TS_PACKET_BYTES) return null;
    const mayJump = adaptationBytes > 1 && (packet.readUInt8(5) & 0x80) !== 0;
    const counter = head & 0x0f;
    const before = this.#counters.get(pid);
    if (before === undefined && this.#counters.size >= MAX_PIDS) return null;
    this.#counters.set(pid, counter);
    if (before === counter && !mayJump) return null;
    const isBroken = mayJump || (before !== undefined && counter !== ((before + 1) & 0x0f));
    const isStart = (head & 0x400000) !== 0;
    return { pid, isStart, isBroken, payload: packet.subarray(4 + adaptationBytes) };
  }
}

/**
 * Finds the start of the next packet: a sync byte followed by another one packet length later, as far as the bytes
 * reach.
 */
function findSync(bytes: Buffer, from: number): number {
  for (let index = from; index < bytes.length; index += 1) {
    if (bytes[index] === SYNC && (bytes[index + TS_PACKET_BYTES] ?? SYNC) === SYNC) return index;
  }
  return bytes.length;
}
