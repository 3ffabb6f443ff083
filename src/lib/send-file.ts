import type { Socket } from 'node:net';

/** Bytes of an open file. */
export type FilePart = { fd: number; start: number; sizeBytes: number };

/** System calls that bypass Node's reads and writes. Neither waits for a disk or a client. */
export type SendFile = {
  /**
   * Copies bytes from a file to a socket as far as possible without waiting. Returns the number of bytes, or 0 if it
   * cannot continue: the socket is full, busy or closed, the bytes are not in memory, or the file ended. The caller
   * then writes a piece in the ordinary way, which waits or reports the reason. Long parts block this thread while the
   * kernel copies.
   */
  send(socket: Socket, part: FilePart): number;
  /** Whether a whole part is in memory, so that reading it does not wait. */
  isInMemory(part: FilePart): boolean;
};

/** Maximum bytes checked and sent in one call. */
const MAX_STRETCH_BYTES = 4 * 2 ** 20;
/** Page size assumed for mincore. The actual pages may be larger, never smaller. */
const PAGE_BYTES = 4096;
const PROT_READ = 1;
const MAP_SHARED = 1;

/**
 * Opens sendfile(2), which Node lacks, with the optional package koffi. Returns null if koffi is missing, after passing
 * the reason to `onMissing`, and on systems other than 64-bit Linux.
 */
export async function openSendFile(onMissing: (error: unknown) => void): Promise<SendFile | null> {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return null;
  try {
    return bindCalls(await import('koffi'));
  } catch (error) {
    onMissing(error);
    return null;
  }
}

function bindCalls({ address, alloc, load, view }: typeof import('koffi')): SendFile {
  const libc = load(null);
  const sendfile = libc.func('intptr_t sendfile(int out, int file, void *offset, size_t length)');
  const mmap = libc.func('intptr_t mmap(void *at, size_t length, int access, int flags, int fd, int64_t offset)');
  const munmap = libc.func('int munmap(intptr_t at, size_t length)');
  const mincore = libc.func('int mincore(intptr_t at, size_t length, void *pages)');
  // Memory for C: the offset, then a byte for each page of a stretch. It is not garbage-collected and never freed, so
  // that no call uses freed memory.
  const pagesBytes = MAX_STRETCH_BYTES / PAGE_BYTES + 1;
  const block = address(alloc('uint8_t', 8 + pagesBytes));
  const memory = view(block, 8 + pagesBytes);
  const offset = new BigInt64Array(memory, 0, 1);
  const pages = Buffer.from(memory, 8, pagesBytes);
  /** Returns the number of bytes at the start of a part that are in memory. Checks pages without reading them. */
  const residentBytes = ({ fd, start, sizeBytes }: FilePart): number => {
    const wantedBytes = Math.min(sizeBytes, MAX_STRETCH_BYTES);
    const beforeBytes = start % PAGE_BYTES;
    const mappedBytes = beforeBytes + wantedBytes;
    const at = Number(mmap(null, mappedBytes, PROT_READ, MAP_SHARED, fd, start - beforeBytes));
    if (at === -1) return 0;
    const count = Math.ceil(mappedBytes / PAGE_BYTES);
    const isKnown = mincore(at, mappedBytes, block + 8n) === 0;
    munmap(at, mappedBytes);
    if (!isKnown) return 0;
    const absent = pages.subarray(0, count).indexOf(0);
    return absent === -1 ? wantedBytes : Math.max(0, absent * PAGE_BYTES - beforeBytes);
  };
  return {
    isInMemory: (part) => residentBytes(part) === part.sizeBytes,
    send(socket, { fd, start, sizeBytes }) {
      const out = idleDescriptor(socket);
      if (out === null || sizeBytes <= 0) return 0;
      const readyBytes = residentBytes({ fd, start, sizeBytes });
      if (readyBytes === 0) return 0;
      offset[0] = BigInt(start);
      return Math.max(0, sendfile(out, fd, block, readyBytes));
    },
  };
}

/**
 * Returns the socket's descriptor, or null if an earlier write is pending. It is valid only for the current tick,
 * because the number of a closed descriptor is soon reused. Node keeps it on the private handle, which only this
 * function reads.
 */
function idleDescriptor(socket: Socket): number | null {
  if (socket.destroyed || !socket.writable || socket.writableLength > 0 || 'encrypted' in socket) return null;
  const { fd, writeQueueSize } = handleOf(socket);
  return typeof fd === 'number' && fd >= 0 && writeQueueSize === 0 ? fd : null;
}

/** Returns the number of bytes of a socket that the kernel has not accepted yet. */
export function queuedBytes(socket: Socket): number {
  const { writeQueueSize } = handleOf(socket);
  return Math.max(socket.writableLength, typeof writeQueueSize === 'number' ? writeQueueSize : 0);
}

function handleOf(socket: Socket): { fd?: unknown; writeQueueSize?: unknown } {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null ? handle : {};
}
