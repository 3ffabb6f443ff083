import type { Guid } from '../../../lib/guid.ts';
import type { KeyGroup } from '../../../ports/drm-key-source.ts';

/** A rendition of a period as sent to edges. Its init segment follows in a separate message. */
export type FeedRendition = {
  id: Guid;
  kind: 'video' | 'audio';
  /** Role in all periods: `audio`, `source`, or the rung of an encoded rendition. */
  slot: string;
  rung: number | null;
  codecString: string;
  timescale: number;
  widthPx: number | null;
  heightPx: number | null;
  /** Key group of a protected stream that encrypts the rendition. `ivPrefix` is the prefix of its IVs. */
  keyGroup: KeyGroup;
  ivPrefix: number;
};

export type FeedPeriod = {
  number: number;
  firstSequence: number;
  isPreview: boolean;
  frameRate: number;
  /** Arrival time of the first frame, in ms since 1970, or null for old periods that did not record it. */
  startMs: number | null;
  /** Whether rungs will follow within seconds. */
  isLadderPending: boolean;
  /** Target duration required by the encoder's settings, in seconds. 0 if they are unknown. */
  targetSec?: number;
  renditions: readonly FeedRendition[];
};

/** Messages from the owner of a stream to edges. Times are in ticks of the rendition's timescale. */
export type FeedMessage =
  /** A period. Sent again when renditions are added. */
  | { type: 'period'; period: FeedPeriod }
  /** The bytes are the init segment. */
  | { type: 'init'; renditionId: Guid }
  /** A segment of a period begins. */
  | { type: 'cut'; period: number; segment: number; wallMs: number }
  /** The bytes are the fragment. */
  | {
      type: 'part';
      renditionId: Guid;
      segment: number;
      part: number;
      startTick: number;
      durationTicks: number;
      samples: number;
      isIndependent: boolean;
      /** Whether this part is the last of its segment. */
      isLast?: boolean;
      /** Whether this part may be the last of its segment. */
      mayBeLast?: boolean;
    }
  /** All parts of a segment have been sent. */
  | { type: 'closed'; renditionId: Guid; segment: number }
  /** This segment of a rendition is not available (EXT-X-GAP). */
  | { type: 'gap'; renditionId: Guid; segment: number }
  /** The object and row of a closed segment exist. */
  | { type: 'stored'; renditionId: Guid; segment: number; storageKey: string; sizeBytes: number }
  /** The snapshot is complete: the owner has sent its whole state. */
  | { type: 'snapshot' }
  /** Whether a publisher is connected. */
  | { type: 'publisher'; isConnected: boolean }
  | { type: 'ping' }
  /** The stream has ended, and no message follows. */
  | { type: 'end' };

export type FeedFrame = { message: FeedMessage; bytes: Buffer };

const HEAD_BYTES = 8;
const MAX_FRAME = 64 * 2 ** 20;
const NO_BYTES = Buffer.alloc(0);

/**
 * Writes a feed frame: the number of JSON bytes (u32), the number of bytes that follow them (u32), both big endian,
 * then the JSON and the bytes. Does not copy the buffers.
 */
export function writeFeedFrame(message: FeedMessage, ...pieces: readonly Buffer[]): Buffer[] {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(json.length, 0);
  head.writeUInt32BE(
    pieces.reduce((sum, piece) => sum + piece.length, 0),
    4,
  );
  return [Buffer.concat([head, json]), ...pieces];
}

/** Creates a reader that assembles frames from chunks of any size. It throws for a frame above 64 MiB. */
export function createFeedReader(): { push(chunk: Buffer): FeedFrame[] } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let neededBytes = HEAD_BYTES;
  return {
    push(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      const frames: FeedFrame[] = [];
      if (heldBytes < neededBytes) return frames;
      let rest = held.length === 1 ? chunk : Buffer.concat(held);
      for (;;) {
        neededBytes = frameBytes(rest);
        if (rest.length < neededBytes) break;
        frames.push(readFrame(rest.subarray(0, neededBytes)));
        rest = rest.subarray(neededBytes);
      }
      held = rest.length === 0 ? [] : [Buffer.from(rest)];
      heldBytes = rest.length;
      return frames;
    },
  };
}

function frameBytes(bytes: Buffer): number {
  if (bytes.length < HEAD_BYTES) return HEAD_BYTES;
  const size = HEAD_BYTES + bytes.readUInt32BE(0) + bytes.readUInt32BE(4);
  if (size > MAX_FRAME) throw new Error(`Expected a frame of ${MAX_FRAME} bytes at most, got ${size}.`);
  return size;
}

function readFrame(frame: Buffer): FeedFrame {
  const jsonEnd = HEAD_BYTES + frame.readUInt32BE(0);
  const message: unknown = JSON.parse(frame.toString('utf8', HEAD_BYTES, jsonEnd));
  const bytes = jsonEnd === frame.length ? NO_BYTES : Buffer.from(frame.subarray(jsonEnd));
  // No validation is necessary: the sender uses the same module and is authenticated by the shared secret.
  return { message: message as FeedMessage, bytes };
}
