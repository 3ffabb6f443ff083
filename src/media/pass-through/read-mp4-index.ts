import { printable, readBoxHead } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { Mp4Fault, toRefusal } from './mp4-fault.ts';
import { type Mp4IndexAnswer, parseMp4Index } from './mp4-index.ts';

/** Reads exactly `length` bytes at `offset` of a file. */
export type ReadRange = (offset: number, length: number) => Promise<Buffer>;

/** A source file with random access, independent of where its bytes are stored. */
export type RangeSource = { sizeBytes: number; readRange: ReadRange };

/** Maximum bytes of a moov. */
export const MAX_MOOV_BYTES = 128 * 2 ** 20;

const MAX_TOP_BOXES = 10_000;
const PIECE_BYTES = 16 * 2 ** 20;

type TopBox = { type: string; offset: number; sizeBytes: number };

/**
 * Finds `moov` among the top-level boxes, at any position, and parses the index of the file. Returns `refused` for
 * files that are not MP4, fragmented files (`moof`, or `mvex` in `moov`), truncated files, and a moov above 128 MiB.
 * Does not read media. Rethrows errors of `readRange` and aborts.
 */
export async function readMp4Index(source: RangeSource, signal: AbortSignal): Promise<Mp4IndexAnswer> {
  try {
    const moov = await findMoov(source, signal);
    return parseMp4Index(await readPieces(source, moov, signal), source.sizeBytes);
  } catch (error) {
    const refused = toRefusal(error);
    if (refused === null) throw error;
    return refused;
  }
}

/** Calls `readRange` and checks that it returned all requested bytes. */
export async function readExactly(readRange: ReadRange, offset: number, length: number): Promise<Buffer> {
  const bytes = await readRange(offset, length);
  if (bytes.length !== length) throw new Error(`Expected ${length} bytes at ${offset}, got ${bytes.length}.`);
  return bytes;
}

async function findMoov(source: RangeSource, signal: AbortSignal): Promise<TopBox> {
  let offset = 0;
  for (let seen = 0; seen < MAX_TOP_BOXES && source.sizeBytes - offset >= 8; seen += 1) {
    signal.throwIfAborted();
    const box = await readTopBox(source, offset);
    if (box.type === 'moof') throw new Mp4Fault('fragmented', 'The file is a fragmented MP4.');
    if (box.type === 'moov') return checkedMoov(box);
    offset += box.sizeBytes;
  }
  throw new Mp4Fault(offset === 0 ? 'not-mp4' : 'no-moov', 'The file has no moov box.');
}

async function readTopBox(source: RangeSource, offset: number): Promise<TopBox> {
  const left = source.sizeBytes - offset;
  const head = await readExactly(source.readRange, offset, Math.min(16, left));
  const type = head.toString('latin1', 4, 8);
  // A file that does not begin with a plain four-character type is not an MP4.
  if (offset === 0 && !/^[a-z0-9 ]{4}$/i.test(type))
    throw new Mp4Fault('not-mp4', 'The file does not begin with an MP4 box.');
  const sizeBytes = sizeOf(head, { left, isFirst: offset === 0 });
  if (sizeBytes > left) {
    throw new Mp4Fault('truncated', `Box ${printable(type)} of ${sizeBytes} bytes has only ${left} bytes in the file.`);
  }
  return { type, offset, sizeBytes };
}

/** Returns the size of a box from its header. A size of 0 means "to the end of the file". */
function sizeOf(bytes: Buffer, { left, isFirst }: { left: number; isFirst: boolean }): number {
  try {
    const head = readBoxHead(bytes, 0);
    if (head === null) throw new Mp4Fault('truncated', 'The file ends within the header of a box.');
    return head.sizeBytes === 0 ? left : head.sizeBytes;
  } catch (error) {
    // A file that begins with an impossible size is not an MP4.
    if (isFirst && error instanceof BrokenMedia) throw new Mp4Fault('not-mp4', error.message);
    throw error;
  }
}

function checkedMoov(box: TopBox): TopBox {
  if (box.sizeBytes <= MAX_MOOV_BYTES) return box;
  throw new Mp4Fault('moov-too-large', `Expected a moov box of at most ${MAX_MOOV_BYTES} bytes, got ${box.sizeBytes}.`);
}

// Reads a box in several requests, because stores limit the size of a single read.
async function readPieces(source: RangeSource, box: TopBox, signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(box.sizeBytes);
  for (let at = 0; at < box.sizeBytes; at += PIECE_BYTES) {
    signal.throwIfAborted();
    const length = Math.min(PIECE_BYTES, box.sizeBytes - at);
    (await readExactly(source.readRange, box.offset + at, length)).copy(bytes, at);
  }
  return bytes;
}
