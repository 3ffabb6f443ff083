import type { Socket } from 'node:net';

/** Bytes of an open file. */
export type FilePart = { fd: number; start: number; sizeBytes: number };

/** The kernel's ways past Node's own reading and writing. Neither call waits for a disk or for a client. */
export type SendFile = {
  /**
   * Moves bytes from a file to a socket, as far as that goes at once. Answers how many went; 0 whenever it
   * cannot go on, whatever the reason: the socket is full, busy or closed, the bytes are not in memory, the
   * file ended. The caller then writes a piece in the ordinary way, which waits or tells the reason. Long parts keep
   * other work of this thread waiting while the kernel works.
   */
  send(socket: Socket, part: FilePart): number;
  /** Whether both ends of a part are in memory, so that to read it costs no wait. */
  isInMemory(part: FilePart): boolean;
};

/** preadv2: answer from memory or not at all (linux/fs.h). */
const RWF_NOWAIT = 8;

/**
 * Opens sendfile(2), which Node has not, through the optional package koffi. Null where that is missing, with
 * the reason given to `onMissing`, and on systems other than 64-bit Linux.
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
  const preadv2 = libc.func('intptr_t preadv2(int fd, void *parts, int count, int64_t offset, int flags)');
  // Words that C reads and writes: the offset, then one iovec, then the byte that it names. They lie outside of
  // the collector's reach and are never freed, so that no call ever meets memory that is gone.
  const block = address(alloc('uint64_t', 4));
  const words = new BigUint64Array(view(block, 32));
  words[1] = block + 24n;
  words[2] = 1n;
  const isByteInMemory = (fd: number, at: number) => preadv2(fd, block + 8n, 1, at, RWF_NOWAIT) === 1;
  const isInMemory = ({ fd, start, sizeBytes }: FilePart) =>
    isByteInMemory(fd, start) && isByteInMemory(fd, start + sizeBytes - 1);
  return {
    isInMemory,
    send(socket, { fd, start, sizeBytes }) {
      const out = idleDescriptor(socket);
      if (out === null || sizeBytes <= 0 || !isInMemory({ fd, start, sizeBytes })) return 0;
      words[0] = BigInt(start);
      return Math.max(0, sendfile(out, fd, block, sizeBytes));
    },
  };
}

/**
 * The socket's descriptor while nothing that was written before is still to be sent; null else. It holds only
 * for the running tick: a closed descriptor's number soon stands for another connection. Node keeps it on the
 * handle, which is private to it: this is the one place that looks there.
 */
function idleDescriptor(socket: Socket): number | null {
  if (socket.destroyed || !socket.writable || socket.writableLength > 0 || 'encrypted' in socket) return null;
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return null;
  const { fd, writeQueueSize }: { fd?: unknown; writeQueueSize?: unknown } = handle;
  return typeof fd === 'number' && fd >= 0 && writeQueueSize === 0 ? fd : null;
}
