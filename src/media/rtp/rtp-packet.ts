/**
 * An RTP packet (RFC 3550 section 5.1) without its header. `sequence` has 16 bits and `timestamp` has 32. Both wrap.
 */
export type RtpPacket = {
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  /** Whether the packet is the last of a frame. */
  isMarked: boolean;
  payload: Buffer;
};

const VERSION = 2;
const HEAD_BYTES = 12;
/** Range of RTCP payload types on the same transport (RFC 5761 section 4). */
const RTCP = { first: 192, last: 223 };

export function isRtcp(bytes: Buffer): boolean {
  const type = bytes[1] ?? 0;
  return type >= RTCP.first && type <= RTCP.last;
}

/** Parses a packet and skips header extensions. Returns null if the bytes are not an RTP packet. */
export function readRtp(bytes: Buffer): RtpPacket | null {
  if (bytes.length < HEAD_BYTES || bytes.readUInt8(0) >> 6 !== VERSION) return null;
  const first = bytes.readUInt8(0);
  let start = HEAD_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) {
    if (start + 4 > bytes.length) return null;
    start += 4 + 4 * bytes.readUInt16BE(start + 2);
  }
  const padding = (first & 0x20) === 0 ? 0 : bytes.readUInt8(bytes.length - 1);
  const end = bytes.length - padding;
  if (start > end) return null;
  return {
    payloadType: bytes.readUInt8(1) & 0x7f,
    isMarked: (bytes.readUInt8(1) & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    payload: bytes.subarray(start, end),
  };
}
