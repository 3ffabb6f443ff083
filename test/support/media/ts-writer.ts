const PIDS = { programs: 0, map: 4096, video: 256, audio: 257 };
const STREAM_IDS = { video: 0xe0, audio: 0xc0 };

type Times = { pts: number; dts: number | null };

/** Writes transport stream packets for tests. Stream types follow ISO 13818-1. Null means no track. */
export class TsWriter {
  readonly #types: { video: number | null; audio: number | null };
  readonly #counters = new Map<number, number>();

  constructor(types: { video: number | null; audio: number | null }) {
    this.#types = types;
  }

  /** The program association and program map tables. */
  tables(): Buffer[] {
    const programs = section(0, Buffer.from([0, 1, 0xe0 | (PIDS.map >> 8), PIDS.map & 0xff]));
    const streams = (['video', 'audio'] as const).flatMap((track) => {
      const type = this.#types[track];
      return type === null ? [] : [type, 0xe0 | (PIDS[track] >> 8), PIDS[track] & 0xff, 0xf0, 0];
    });
    const map = section(2, Buffer.from([0xe1, 0, 0xf0, 0, ...streams]));
    return [
      ...this.#split(PIDS.programs, Buffer.concat([Buffer.from([0]), programs])),
      ...this.#split(PIDS.map, Buffer.concat([Buffer.from([0]), map])),
    ];
  }

  /** Returns packets of an elementary stream. Video packets declare no length, as encoders write them. */
  pes(track: 'video' | 'audio', { pts, dts, payload }: Times & { payload: Buffer }): Buffer[] {
    const times = dts === null ? time(2, pts) : Buffer.concat([time(3, pts), time(1, dts)]);
    const head = Buffer.from([0, 0, 1, STREAM_IDS[track], 0, 0, 0x80, dts === null ? 0x80 : 0xc0, times.length]);
    if (track === 'audio') head.writeUInt16BE(3 + times.length + payload.length, 4);
    return this.#split(PIDS[track], Buffer.concat([head, times, payload]));
  }

  /** Returns the same packet with the next counter. */
  again(packet: Buffer): Buffer {
    const copy = Buffer.from(packet);
    const pid = copy.readUInt16BE(1) & 0x1fff;
    copy.writeUInt8((copy.readUInt8(3) & 0xf0) | this.#count(pid), 3);
    return copy;
  }

  #split(pid: number, bytes: Buffer): Buffer[] {
    const packets: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = Math.min(184, bytes.length - at);
      const stuffing = 184 - size;
      const start = at === 0 ? 0x40 : 0;
      const control = (stuffing > 0 ? 0x30 : 0x10) | this.#count(pid);
      const head = Buffer.from([0x47, start | (pid >> 8), pid & 0xff, control]);
      const filler = Buffer.alloc(stuffing, 0xff);
      if (stuffing > 0) filler.writeUInt8(stuffing - 1, 0);
      if (stuffing > 1) filler.writeUInt8(0, 1);
      packets.push(Buffer.concat([head, filler, bytes.subarray(at, at + size)]));
      at += size;
    }
    return packets;
  }

  #count(pid: number): number {
    const next = ((this.#counters.get(pid) ?? -1) + 1) & 0x0f;
    this.#counters.set(pid, next);
    return next;
  }
}

function section(table: number, body: Buffer): Buffer {
  const head = Buffer.from([table, 0xb0, 5 + body.length + 4, 0, 1, 0xc1, 0, 0]);
  const bytes = Buffer.concat([head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc(bytes));
  return Buffer.concat([bytes, checksum]);
}

/** Calculates the CRC by polynomial division, bit by bit. */
function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const isOdd = ((value >>> 31) ^ (byte >> bit)) & 1;
      value = (value << 1) ^ (isOdd === 1 ? 0x04c11db7 : 0);
    }
  }
  return value >>> 0;
}

function time(marker: number, ticks: number): Buffer {
  const wrapped = ticks % 2 ** 33;
  const high = Math.floor(wrapped / 2 ** 30);
  const middle = Math.floor(wrapped / 2 ** 15) % 2 ** 15;
  const low = wrapped % 2 ** 15;
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8((marker << 4) | (high << 1) | 1, 0);
  bytes.writeUInt16BE(middle * 2 + 1, 1);
  bytes.writeUInt16BE(low * 2 + 1, 3);
  return bytes;
}
