import type { TsPacket } from './ts-packets.ts';

/** Bytes of a section header, which includes a 12-bit length. */
const HEAD_BYTES = 3;

/** Assembles the sections of one PID (ISO 13818-1 section 2.4.4.1), each at most 4 KiB. */
export class SectionReader {
  #open: Buffer | null = null;

  /** Returns the first section that this packet completes, if any. */
  push({ isStart, isBroken, payload }: TsPacket): Buffer | null {
    if (isBroken) this.#open = null;
    if (!isStart) return this.#open === null ? null : this.#gather(Buffer.concat([this.#open, payload]));
    const pointer = payload.readUInt8(0);
    const ended =
      this.#open === null ? null : this.#gather(Buffer.concat([this.#open, payload.subarray(1, 1 + pointer)]));
    const next = this.#gather(Buffer.from(payload.subarray(1 + pointer)));
    return ended ?? next;
  }

  #gather(bytes: Buffer): Buffer | null {
    this.#open = bytes;
    if (bytes.length < HEAD_BYTES) return null;
    const sizeBytes = HEAD_BYTES + (bytes.readUInt16BE(1) & 0x0fff);
    if (bytes.length < sizeBytes) return null;
    this.#open = null;
    return bytes.subarray(0, sizeBytes);
  }
}
