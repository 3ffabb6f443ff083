import { needsU64 } from './boxes.ts';

/** Writes boxes into one buffer of known size, at position `at`. */
export type BoxWriter = { readonly bytes: Buffer; readonly view: DataView; at: number };

/** Creates a writer that fills a buffer. */
export function writeInto(bytes: Buffer): BoxWriter {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 };
}

/** Writes 32-bit integers, big endian, negative ones as two's complement. */
export function putU32(writer: BoxWriter, ...values: readonly number[]): void {
  for (const value of values) {
    writer.view.setUint32(writer.at, value);
    writer.at += 4;
  }
}

/** Writes bytes unchanged. */
export function putBytes(writer: BoxWriter, bytes: Buffer): void {
  bytes.copy(writer.bytes, writer.at);
  writer.at += bytes.length;
}

/**
 * Writes the header of a box of `sizeBytes`, including the header (ISO 14496-12 section 4.2). Throws for 4 GiB or more.
 */
export function putBoxHead(writer: BoxWriter, type: string, sizeBytes: number): void {
  if (needsU64(sizeBytes)) throw new Error(`Expected box ${type} below 4 GiB, got ${sizeBytes} bytes.`);
  putU32(writer, sizeBytes, Buffer.from(type, 'latin1').readUInt32BE());
}

/** Writes the header of a full box, with version and flags. */
export function putFullBoxHead(
  writer: BoxWriter,
  { type, sizeBytes, version = 0, flags = 0 }: { type: string; sizeBytes: number; version?: number; flags?: number },
): void {
  putBoxHead(writer, type, sizeBytes);
  putU32(writer, version * 2 ** 24 + flags);
}
