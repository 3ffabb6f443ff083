import { MAX_BOX_HEAD, printable, readBoxHead } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';

/** A complete part of a fragmented MP4 stream: the init segment (ftyp, moov) or one fragment (moof, mdat). */
export type StreamPart = { kind: 'init'; bytes: Buffer } | { kind: 'fragment'; bytes: Buffer };

/** Splits a byte stream into parts. Keeps at most one unfinished part in memory. */
export type StreamSplitter = {
  /** Adds the next bytes, split at any position, and returns the parts that they complete. */
  push(chunk: Uint8Array): StreamPart[];
  /** Ends the stream. Throws BrokenMedia if it ended within a part or had no init segment. */
  end(): void;
};

/** Maximum bytes of an init segment or fragment. Ten seconds at 100 Mbit/s are 125 MB. */
export const MAX_PART_BYTES = 256 * 2 ** 20;

type Unit = { opens: 'ftyp' | 'moov' | 'moof' | null; sizeBytes: number };

/**
 * Splits the stream that ffmpeg writes to a pipe (`empty_moov+default_base_moof`) into its init segment and fragments
 * as they complete. Drops styp, sidx, free, mfra and other boxes outside a part. Throws BrokenMedia for a part above
 * `maxPartBytes`, a box without a size and boxes out of order.
 */
export function createStreamSplitter(maxPartBytes: number = MAX_PART_BYTES): StreamSplitter {
  const queue = createByteQueue();
  let unit: Unit = { opens: null, sizeBytes: 0 };
  let neededBytes = 8;
  let sawInit = false;

  /** Adds the next box to the unit once it is complete. Returns undefined if it needs more bytes. */
  function step(): StreamPart | null | undefined {
    const head = readBoxHead(queue.peek(unit.sizeBytes, MAX_BOX_HEAD), 0);
    if (head === null) {
      neededBytes = unit.sizeBytes + (queue.sizeBytes() < unit.sizeBytes + 8 ? 8 : MAX_BOX_HEAD);
      return undefined;
    }
    neededBytes = unit.sizeBytes + head.sizeBytes;
    if (head.sizeBytes === 0 || neededBytes > maxPartBytes) {
      const received = head.sizeBytes === 0 ? 'a box without a size' : `${neededBytes} bytes`;
      const type = printable(head.type);
      throw new BrokenMedia(`Expected box ${type} to end within ${maxPartBytes} bytes, got ${received}.`);
    }
    const opens = nextOpening(unit.opens, head.type, sawInit);
    if (queue.sizeBytes() < neededBytes) return undefined;
    unit = { opens, sizeBytes: neededBytes };
    neededBytes += 8;
    return finish(head.type);
  }

  function finish(type: string): StreamPart | null {
    const isPart = type === 'moov' || type === 'mdat';
    if (!isPart && unit.opens !== null) return null;
    const bytes = queue.take(unit.sizeBytes);
    unit = { opens: null, sizeBytes: 0 };
    neededBytes = 8;
    if (type === 'moov') sawInit = true;
    return isPart ? { kind: type === 'moov' ? 'init' : 'fragment', bytes } : null;
  }

  return {
    push(chunk) {
      queue.add(chunk);
      const parts: StreamPart[] = [];
      while (queue.sizeBytes() >= neededBytes) {
        const part = step();
        if (part === undefined) break;
        if (part !== null) parts.push(part);
      }
      return parts;
    },
    end() {
      if (queue.sizeBytes() > 0) {
        throw new BrokenMedia(
          `Expected ${neededBytes} bytes of the next part, but the stream ended after ${queue.sizeBytes()}.`,
        );
      }
      if (!sawInit) throw new BrokenMedia('Expected an init segment, but the stream ended without one.');
    },
  };
}

/** Returns the type of the unit's first box after `type` is added. Throws if the box is not allowed here. */
function nextOpening(opens: Unit['opens'], type: string, sawInit: boolean): Unit['opens'] {
  const at = printable(type);
  if (type === 'ftyp' || type === 'moov') {
    if (sawInit || opens === 'moof' || (opens === 'ftyp' && type === 'ftyp')) {
      throw new BrokenMedia(`Expected one init segment at the start, got another box ${at}.`);
    }
    return opens ?? type;
  }
  if (type === 'moof') {
    if (!sawInit) throw new BrokenMedia('Expected an init segment before the first fragment, got a moof.');
    if (opens === 'moof') throw new BrokenMedia('Expected an mdat after a moof, got another moof.');
    return type;
  }
  if (type === 'mdat' && opens !== 'moof') throw new BrokenMedia('Expected a moof before an mdat, got none.');
  return opens;
}

type ByteQueue = {
  sizeBytes(): number;
  add(chunk: Uint8Array): void;
  peek(from: number, count: number): Buffer;
  take(count: number): Buffer;
};

/** Queues bytes in order of arrival. Each byte is copied once, when it is removed. */
function createByteQueue(): ByteQueue {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  return {
    sizeBytes: () => sizeBytes,
    add(chunk) {
      if (chunk.length > 0) chunks.push(chunk);
      sizeBytes += chunk.length;
    },
    peek(from, count) {
      const found: Uint8Array[] = [];
      let at = 0;
      let left = count;
      for (const chunk of chunks) {
        const slice = chunk.subarray(Math.max(0, from - at), Math.max(0, from - at) + left);
        found.push(slice);
        left -= slice.length;
        at += chunk.length;
        if (left === 0) break;
      }
      return Buffer.concat(found);
    },
    take(count) {
      const bytes = Buffer.concat(chunks, count);
      sizeBytes -= count;
      let dropped = 0;
      let left = count;
      for (const chunk of chunks) {
        if (chunk.length > left) break;
        left -= chunk.length;
        dropped += 1;
      }
      const rest = chunks.slice(dropped);
      const [first] = rest;
      if (first !== undefined) rest[0] = first.subarray(left);
      chunks = rest;
      return bytes;
    },
  };
}
