import type { OrderedPacket } from './reorder-buffer.ts';

/** NAL units of one frame. `timestamp` has 32 bits at 90 kHz. */
export type RtpPicture = { timestamp: number; nals: Buffer[] };

/**
 * Result of a packet: a frame that it completes, and whether a frame was lost, after which decoding can only continue
 * with a keyframe.
 */
export type Depacketized = { picture: RtpPicture | null; isBroken: boolean };

const TYPE = { last: 23, stapA: 24, fuA: 28 };
const MAX_PICTURE_BYTES = 8 * 2 ** 20;

/**
 * Assembles frames from RTP payloads of H.264 (RFC 6184, packetization modes 0 and 1). Drops the whole frame if one of
 * its packets is lost.
 */
export class H264Depacketizer {
  #timestamp: number | null = null;
  #nals: Buffer[] = [];
  #fragments: Buffer[] | null = null;
  #heldBytes = 0;
  #isDamaged = false;

  /** Bytes of the incomplete frame. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  push({ packet, isAfterLoss }: OrderedPacket): Depacketized {
    // The lost packets may belong to the previous frame or to this one.
    let isBroken = isAfterLoss;
    if (this.#timestamp !== packet.timestamp) {
      isBroken ||= this.#timestamp !== null && this.#heldBytes > 0;
      this.#reset(packet.timestamp);
      this.#isDamaged = isAfterLoss;
    } else if (isAfterLoss) this.#isDamaged = true;
    if (!this.#isDamaged && !this.#take(packet.payload)) this.#isDamaged = true;
    if (this.#heldBytes > MAX_PICTURE_BYTES) this.#isDamaged = true;
    isBroken ||= this.#isDamaged;
    if (this.#isDamaged) this.#drop();
    if (!packet.isMarked) return { picture: null, isBroken };
    const nals = this.#nals;
    const isWhole = !this.#isDamaged && this.#fragments === null && nals.length > 0;
    this.#drop();
    return { picture: isWhole ? { timestamp: packet.timestamp, nals } : null, isBroken };
  }

  /** Returns false for a payload that cannot be parsed, or that does not continue the open fragment. */
  #take(payload: Buffer): boolean {
    if (payload.length < 2) return false;
    const type = payload.readUInt8(0) & 0x1f;
    if (type === TYPE.fuA) return this.#takeFragment(payload);
    if (this.#fragments !== null) return false;
    if (type === TYPE.stapA) return this.#takeAggregate(payload);
    if (type === 0 || type > TYPE.last) return false;
    this.#add(Buffer.from(payload));
    return true;
  }

  /** Adds the NAL units of an aggregation packet (STAP-A, RFC 6184 section 5.7.1). Returns false if it is invalid. */
  #takeAggregate(payload: Buffer): boolean {
    for (let at = 1; at < payload.length; ) {
      if (at + 2 > payload.length) return false;
      const end = at + 2 + payload.readUInt16BE(at);
      if (end > payload.length || end === at + 2) return false;
      this.#add(Buffer.from(payload.subarray(at + 2, end)));
      at = end;
    }
    return true;
  }

  /**
   * Adds a fragment of a NAL unit (FU-A, RFC 6184 section 5.8). Returns false if it is invalid or does not continue the
   * open fragment.
   */
  #takeFragment(payload: Buffer): boolean {
    const head = payload.readUInt8(1);
    const isStart = (head & 0x80) !== 0;
    if (isStart === (this.#fragments !== null)) return false;
    if (isStart) this.#fragments = [Buffer.from([(payload.readUInt8(0) & 0xe0) | (head & 0x1f)])];
    this.#fragments?.push(Buffer.from(payload.subarray(2)));
    this.#heldBytes += payload.length - 2;
    if ((head & 0x40) === 0 || this.#fragments === null) return true;
    this.#nals.push(Buffer.concat(this.#fragments));
    this.#fragments = null;
    return true;
  }

  #add(nal: Buffer): void {
    this.#nals.push(nal);
    this.#heldBytes += nal.length;
  }

  #reset(timestamp: number): void {
    this.#timestamp = timestamp;
    this.#isDamaged = false;
    this.#drop();
  }

  #drop(): void {
    this.#nals = [];
    this.#fragments = null;
    this.#heldBytes = 0;
  }
}
