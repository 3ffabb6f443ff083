/** Reports of the process that runs libsrt. `connection` is a socket number of that process. */
export type SrtReport =
  /** libsrt is loaded. The process listens when it gets the line `listen`. */
  | { type: 'loaded' }
  | { type: 'listening'; port: number }
  /** The process is about to exit. `isMissing` means that libsrt or koffi is missing. */
  | { type: 'failed'; reason: string; isMissing: boolean }
  /** A caller waits for a verdict, which blocks all other callers. The verdict is due within half a second. */
  | { type: 'check'; connection: number; remote: string; streamId: string }
  | { type: 'open'; connection: number; remote: string; streamId: string }
  /** The handshake of a caller failed, because its passphrase is missing or wrong, or it needs none. */
  | { type: 'unsecured'; remote: string; streamId: string; needsPassphrase: boolean }
  /** A caller with a completed handshake could not be served. */
  | { type: 'refused'; reason: string }
  | { type: 'closed'; connection: number; reason: string };

/** Verdict on a check. `reject` is an SRT access control code (1000 and above). */
export type SrtVerdict = { passphrase: string | null } | { reject: number };

export type SrtFrame = { type: 'report'; report: SrtReport } | { type: 'data'; connection: number; bytes: Buffer };

const HEAD_BYTES = 8;
/** Value of the connection field that marks a frame with a report in JSON. */
const REPORT = 0xffffffff;
export const MAX_FRAME = 64 * 1024;

export function writeReport(change: SrtReport): Buffer {
  return writeFrame(REPORT, Buffer.from(JSON.stringify(change)));
}

export function writeData(connection: number, bytes: Buffer): Buffer {
  return writeFrame(connection, bytes);
}

/** Reads the frames of a byte stream that may be split at any byte. Throws if a frame is too large. */
export class SrtFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): SrtFrame[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: SrtFrame[] = [];
    let at = 0;
    while (at + HEAD_BYTES <= all.length) {
      const sizeBytes = all.readUInt32BE(at);
      if (sizeBytes > MAX_FRAME) throw new Error(`Expected a frame of at most ${MAX_FRAME} bytes, got ${sizeBytes}.`);
      const end = at + HEAD_BYTES + sizeBytes;
      if (end > all.length) break;
      frames.push(readFrame(all.readUInt32BE(at + 4), all.subarray(at + HEAD_BYTES, end)));
      at = end;
    }
    this.#rest = Buffer.from(all.subarray(at));
    return frames;
  }
}

function readFrame(connection: number, bytes: Buffer): SrtFrame {
  if (connection !== REPORT) return { type: 'data', connection, bytes };
  // The child process wrote this JSON with `writeReport`.
  return { type: 'report', report: JSON.parse(bytes.toString()) as SrtReport };
}

function writeFrame(connection: number, bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  frame.writeUInt32BE(bytes.length, 0);
  frame.writeUInt32BE(connection, 4);
  bytes.copy(frame, HEAD_BYTES);
  return frame;
}
