/**
 * A sender report (RFC 3550 section 6.4.1): the wall-clock time, in ms, that corresponds to an RTP timestamp of a
 * source.
 */
export type SenderReport = { ssrc: number; wallMs: number; timestamp: number; middleBits: number };

/** A receiver's report about one source. */
export type Reception = { ssrc: number; highestSequence: number; lastReport: SenderReport | null };

const TYPE = { senderReport: 200, receiverReport: 201, transportFeedback: 205, payloadFeedback: 206 };
const PICTURE_LOSS = 1;
const GENERIC_NACK = 1;
const APPLICATION = 15;
const SENDER_REPORT_BYTES = 28;
/** SSRC of this receiver. Senders accept any value. */
const OWN_SSRC = 1;
const SECONDS_TO_1970 = 2_208_988_800;

/** Returns the sender reports of a compound packet. Drops a damaged remainder. */
export function readSenderReports(bytes: Buffer): SenderReport[] {
  const reports: SenderReport[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const sizeBytes = 4 + 4 * bytes.readUInt16BE(at + 2);
    const packet = bytes.subarray(at, at + sizeBytes);
    if (packet.length < sizeBytes) break;
    if (packet.readUInt8(1) === TYPE.senderReport && packet.length >= SENDER_REPORT_BYTES) {
      reports.push({
        ssrc: packet.readUInt32BE(4),
        wallMs: (packet.readUInt32BE(8) - SECONDS_TO_1970 + packet.readUInt32BE(12) / 2 ** 32) * 1000,
        timestamp: packet.readUInt32BE(16),
        middleBits: packet.readUInt32BE(10),
      });
    }
    at += sizeBytes;
  }
  return reports;
}

/** Writes a receiver report (RFC 3550 section 6.4.2). It reports no loss, because lost packets are requested again. */
export function writeReceiverReport(reception: Reception, sinceReportMs: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt16BE(7, 2);
  bytes.set([0x81, TYPE.receiverReport]);
  bytes.writeUInt32BE(OWN_SSRC, 4);
  bytes.writeUInt32BE(reception.ssrc, 8);
  bytes.writeUInt32BE(reception.highestSequence, 16);
  bytes.writeUInt32BE(reception.lastReport?.middleBits ?? 0, 24);
  bytes.writeUInt32BE(reception.lastReport === null ? 0 : Math.round((sinceReportMs * 65_536) / 1000) >>> 0, 28);
  return bytes;
}

/** Writes a request for a keyframe (PLI, RFC 4585 section 6.3.1). */
export function writePictureLoss(ssrc: number): Buffer {
  return feedback(TYPE.payloadFeedback, PICTURE_LOSS, ssrc, Buffer.alloc(0));
}

/** Writes a request to send packets again (RFC 4585 section 6.2.1). */
export function writeNack(ssrc: number, missing: readonly number[]): Buffer {
  const entries = missing.map((sequence) => {
    const entry = Buffer.alloc(4);
    entry.writeUInt16BE(sequence);
    return entry;
  });
  return feedback(TYPE.transportFeedback, GENERIC_NACK, ssrc, Buffer.concat(entries));
}

/** Writes a limit of the sender's bit rate, in bits per second (REMB, draft-alvestrand-rmcat-remb section 2.2). */
export function writeBitrateLimit(ssrc: number, bitsPerSec: number): Buffer {
  const exponent = Math.max(0, Math.ceil(Math.log2(bitsPerSec / 2 ** 18)));
  const mantissa = Math.floor(bitsPerSec / 2 ** exponent);
  const body = Buffer.alloc(12);
  body.write('REMB', 'latin1');
  body.writeUInt32BE(0x01000000 | (exponent << 18) | mantissa, 4);
  body.writeUInt32BE(ssrc, 8);
  return feedback(TYPE.payloadFeedback, APPLICATION, 0, body);
}

function feedback(type: number, format: number, ssrc: number, body: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.set([0x80 | format, type]);
  head.writeUInt16BE(2 + body.length / 4, 2);
  head.writeUInt32BE(OWN_SSRC, 4);
  head.writeUInt32BE(ssrc, 8);
  return Buffer.concat([head, body]);
}
