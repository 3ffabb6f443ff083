import { createHmac, timingSafeEqual } from 'node:crypto';

/** A position between two events of a zone's day, where a page begins. */
export type EventPosition = { zoneId: number; day: string; afterSeq: number };

const VERSION = 1;
const BODY_BYTES = 21;
const PROOF_BYTES = 8;

/** Writes a position as a page token: base64url, and invalid for another zone or day. */
export function writeCursor({ zoneId, day, afterSeq }: EventPosition, secret: Uint8Array): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(VERSION, 0);
  body.writeBigUInt64BE(BigInt(zoneId), 1);
  body.writeUInt32BE(Number(day.replaceAll('-', '')), 9);
  body.writeBigUInt64BE(BigInt(afterSeq), 13);
  return Buffer.concat([body, proofOf(body, secret)]).toString('base64url');
}

/** Reads the position from a token that was made for this zone and day. Returns null for any other text. */
export function readCursor(
  token: string,
  { zoneId, day }: Omit<EventPosition, 'afterSeq'>,
  secrets: readonly Uint8Array[],
): EventPosition | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== BODY_BYTES + PROOF_BYTES || bytes.toString('base64url') !== token) return null;
  const body = bytes.subarray(0, BODY_BYTES);
  const proof = bytes.subarray(BODY_BYTES);
  if (!secrets.some((secret) => timingSafeEqual(proofOf(body, secret), proof))) return null;
  if (body.readUInt8(0) !== VERSION || body.readBigUInt64BE(1) !== BigInt(zoneId)) return null;
  if (body.readUInt32BE(9) !== Number(day.replaceAll('-', ''))) return null;
  return { zoneId, day, afterSeq: Number(body.readBigUInt64BE(13)) };
}

function proofOf(body: Buffer, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(body).digest().subarray(0, PROOF_BYTES);
}
