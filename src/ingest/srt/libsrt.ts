import { isIPv4 } from 'node:net';

/** File names of the library in Debian (with GnuTLS or OpenSSL) and elsewhere, in the order in which they are tried. */
const LIBRARIES = ['libsrt-gnutls.so.1.5', 'libsrt.so.1.5', 'libsrt-openssl.so.1.5', 'libsrt.so.1', 'libsrt.dylib'];

const OPTION = {
  sendSync: 1,
  receiveSync: 2,
  passphrase: 26,
  receiveLatencyMs: 43,
  enforcedEncryption: 53,
  peerIdleTimeoutMs: 55,
};
const KEY_STATE = { option: 41, secured: 2 };
const EVENT = { readable: 1, failed: 8 };
const NOTHING_THERE = 6002;
const AF = { inet: 2, inet6: 10 };
const ADDRESS_BYTES = 128;
const BACKLOG = 32;
/** Time in ms after which an admitted caller that cannot be accepted has failed. Its handshake takes no round trip. */
const HANDSHAKE_MS = 1_000;
const LOG_FATAL_ONLY = 2;
/** Maximum size of a message in bytes. A payload in live mode has at most 1,456 bytes. */
const MAX_MESSAGE = 1_500;
const MAX_READY = 64;

/**
 * Decides whether to admit a waiting caller. Returns the passphrase that the caller must have, null if it needs none,
 * or a rejection code.
 */
export type SrtHook = (socket: number, caller: { remote: string; streamId: string }) => string | null | number;

export type Accepted = { socket: number; remote: string; streamId: string };

/**
 * An admitted caller whose handshake failed. libsrt does not report the reason. `needsPassphrase`: the caller needed a
 * passphrase, so it had none or a wrong one. Otherwise, it had one and needed none.
 */
export type Unsecured = { remote: string; streamId: string; needsPassphrase: boolean };

/**
 * The functions of libsrt that accept callers and receive their data. All functions except `wait` return without
 * blocking.
 */
export type LibSrt = {
  /** Starts to listen and returns the port. On failure, throws an error with the message of libsrt. */
  listen(host: string, port: number, hook: SrtHook): number;
  /**
   * Returns the next caller with a completed handshake, or null if there is none. If a caller cannot be served, closes
   * its connection and throws.
   */
  accept(): Accepted | null;
  /**
   * Returns the callers whose handshake failed since the last call. `emptyMs`: start of a `wait` after which no caller
   * was waiting to be accepted, in ms (`performance.now`). Callers that were admitted later may still be accepted.
   */
  takeUnsecured(emptyMs: number): Unsecured[];
  /** Resolves with the sockets that are readable or have failed, after at most `waitMs`. */
  wait(waitMs: number): Promise<number[]>;
  /**
   * Copies the next message to offset `at` of `into`. Returns its size, 0 if there is none, or null if the connection
   * has ended.
   */
  receive(socket: number, into: Buffer, at: number): number | null;
  /** Returns the time for which libsrt delays a caller's packets before delivery, in ms. */
  latencyMs(socket: number): number;
  close(socket: number): void;
  /** The listening socket. `wait` returns it when a caller is waiting. */
  readonly listener: number;
};

export { MAX_MESSAGE };

/** Opens libsrt through the optional package koffi. Throws an error if either is missing. */
export async function openLibSrt(): Promise<LibSrt> {
  const koffi = await import('koffi');
  const library = load(koffi);
  const bound = bindCalls(library, koffi);
  bound.setLogLevel(LOG_FATAL_ONLY);
  bound.startUp();
  return new Srt(bound, koffi);
}

type Koffi = typeof import('koffi');

function load({ load: open }: Koffi) {
  const reasons: string[] = [];
  for (const name of LIBRARIES) {
    try {
      return open(name);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`Expected libsrt 1.5 (Debian: libsrt1.5-gnutls). ${reasons[0] ?? ''}`);
}

type Bound = ReturnType<typeof bindCalls>;

function bindCalls(library: ReturnType<Koffi['load']>, koffi: Koffi) {
  koffi.proto('int SrtListenHook(void *opaque, int socket, int version, void *peer, const char *streamId)');
  return {
    startUp: library.func('int srt_startup()'),
    setLogLevel: library.func('void srt_setloglevel(int level)'),
    create: library.func('int srt_create_socket()'),
    bind: library.func('int srt_bind(int socket, void *address, int addressBytes)'),
    listen: library.func('int srt_listen(int socket, int backlog)'),
    accept: library.func('int srt_accept(int socket, void *address, void *addressBytes)'),
    hook: library.func('int srt_listen_callback(int socket, SrtListenHook *hook, void *opaque)'),
    reject: library.func('int srt_setrejectreason(int socket, int reason)'),
    close: library.func('int srt_close(int socket)'),
    setOption: library.func('int srt_setsockflag(int socket, int option, void *value, int valueBytes)'),
    getOption: library.func('int srt_getsockflag(int socket, int option, void *value, void *valueBytes)'),
    address: library.func('int srt_getsockname(int socket, void *address, void *addressBytes)'),
    receive: library.func('int srt_recvmsg(int socket, void *buffer, int bufferBytes)'),
    lastMessage: library.func('const char *srt_getlasterror_str()'),
    lastError: library.func('int srt_getlasterror(void *systemError)'),
    createPoll: library.func('int srt_epoll_create()'),
    addToPoll: library.func('int srt_epoll_add_usock(int poll, int socket, void *events)'),
    wait: library.func('int srt_epoll_uwait(int poll, void *events, int count, int64_t waitMs)'),
  };
}

class Srt implements LibSrt {
  readonly #calls: Bound;
  readonly #koffi: Koffi;
  readonly #poll: number;
  readonly #ready = Buffer.alloc(8 * MAX_READY);
  /** Stream ids and addresses of callers that the hook admitted and that are not accepted yet. */
  readonly #admitted = new Map<number, Unsecured & { atMs: number }>();
  listener = -1;

  constructor(calls: Bound, koffi: Koffi) {
    this.#calls = calls;
    this.#koffi = koffi;
    this.#poll = calls.createPoll();
  }

  listen(host: string, port: number, hook: SrtHook): number {
    const calls = this.#calls;
    const socket = this.#must(calls.create(), 'create a socket');
    this.#setInt(socket, OPTION.receiveSync, 0);
    this.#setInt(socket, OPTION.sendSync, 0);
    const address = writeAddress(host, port);
    this.#must(calls.bind(socket, address, address.length), `listen on ${host}, UDP port ${port}`);
    const pointer = this.#koffi.register(this.#hookOf(hook), 'SrtListenHook *');
    this.#must(calls.hook(socket, pointer, null), 'set the listen callback');
    this.#must(calls.listen(socket, BACKLOG), 'listen');
    this.#watch(socket);
    this.listener = socket;
    const bound = Buffer.alloc(ADDRESS_BYTES);
    this.#must(calls.address(socket, bound, lengthOf(bound)), 'read the address');
    return bound.readUInt16BE(2);
  }

  accept(): Accepted | null {
    const address = Buffer.alloc(ADDRESS_BYTES);
    const socket: number = this.#calls.accept(this.listener, address, lengthOf(address));
    if (socket < 0) return null;
    const admitted = this.#admitted.get(socket);
    if (admitted === undefined || (admitted.needsPassphrase && !this.#isSecured(socket))) {
      this.close(socket);
      return null;
    }
    this.#admitted.delete(socket);
    try {
      this.#setInt(socket, OPTION.receiveSync, 0);
      this.#watch(socket);
    } catch (error) {
      this.close(socket);
      throw error;
    }
    return { socket, remote: admitted.remote, streamId: admitted.streamId };
  }

  takeUnsecured(emptyMs: number): Unsecured[] {
    const failed = [...this.#admitted].filter(([, { atMs }]) => emptyMs - atMs > HANDSHAKE_MS);
    for (const [socket] of failed) this.#admitted.delete(socket);
    return failed.map(([, { remote, streamId, needsPassphrase }]) => ({ remote, streamId, needsPassphrase }));
  }

  async wait(waitMs: number): Promise<number[]> {
    const count = await new Promise<number>((resolve, reject) => {
      this.#calls.wait.async(this.#poll, this.#ready, MAX_READY, waitMs, (error: Error | null, found: number) =>
        error === null ? resolve(found) : reject(error),
      );
    });
    return Array.from({ length: Math.max(0, Math.min(count, MAX_READY)) }, (_, index) =>
      this.#ready.readInt32LE(8 * index),
    );
  }

  receive(socket: number, into: Buffer, at: number): number | null {
    const target = into.subarray(at, at + MAX_MESSAGE);
    const sizeBytes: number = this.#calls.receive(socket, target, target.length);
    if (sizeBytes > 0) return sizeBytes;
    return sizeBytes < 0 && this.#calls.lastError(null) === NOTHING_THERE ? 0 : null;
  }

  latencyMs(socket: number): number {
    return this.#getInt(socket, OPTION.receiveLatencyMs);
  }

  close(socket: number): void {
    this.#calls.close(socket);
  }

  /** Returns the listen callback. The callback runs on this thread while libsrt's own thread waits for its result. */
  #hookOf(hook: SrtHook) {
    return (_opaque: unknown, socket: number, version: number, peer: unknown, streamId: string | null): number => {
      const caller = { remote: this.#readAddress(peer), streamId: streamId ?? '' };
      // SRT handshakes before version 5 have no stream id.
      const verdict = version < 5 ? 1505 : hook(socket, caller);
      if (typeof verdict === 'number') {
        this.#calls.reject(socket, verdict);
        return -1;
      }
      if (verdict !== null) {
        const passphrase = Buffer.from(verdict);
        this.#calls.setOption(socket, OPTION.passphrase, passphrase, passphrase.length);
        this.#setInt(socket, OPTION.enforcedEncryption, 1);
      }
      if (this.#admitted.size >= 2 * BACKLOG) this.#admitted.delete(this.#admitted.keys().next().value ?? 0);
      this.#admitted.set(socket, { ...caller, needsPassphrase: verdict !== null, atMs: performance.now() });
      return 0;
    };
  }

  #isSecured(socket: number): boolean {
    return this.#getInt(socket, KEY_STATE.option) === KEY_STATE.secured;
  }

  #getInt(socket: number, option: number): number {
    const value = Buffer.alloc(4);
    this.#calls.getOption(socket, option, value, lengthOf(value));
    return value.readInt32LE(0);
  }

  #watch(socket: number): void {
    const events = Buffer.alloc(4);
    events.writeInt32LE(EVENT.readable | EVENT.failed);
    this.#must(this.#calls.addToPoll(this.#poll, socket, events), 'watch a socket');
  }

  #readAddress(peer: unknown): string {
    const bytes = Buffer.from(this.#koffi.view(peer, 28));
    if (bytes.readUInt16LE(0) === AF.inet) return bytes.subarray(4, 8).join('.');
    const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(8 + 2 * index).toString(16));
    return words.join(':');
  }

  #setInt(socket: number, option: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    this.#calls.setOption(socket, option, bytes, bytes.length);
  }

  #must(result: number, action: string): number {
    if (result >= 0) return result;
    throw new Error(`libsrt could not ${action}: ${this.#calls.lastMessage()}`);
  }
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(length);
  return bytes;
}

/** Writes an address as a `sockaddr`. `host` must be an IP address. */
function writeAddress(host: string, port: number): Buffer {
  const isV4 = isIPv4(host);
  const address = Buffer.alloc(isV4 ? 16 : 28);
  address.writeUInt16LE(isV4 ? AF.inet : AF.inet6, 0);
  address.writeUInt16BE(port, 2);
  if (isV4) address.set(host.split('.').map(Number), 4);
  else address.set(expandV6(host), 8);
  return address;
}

function expandV6(host: string): number[] {
  const [before = '', after] = host.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [head, tail] = [words(before), after === undefined ? [] : words(after)];
  const zeros = Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0);
  return [...head, ...zeros, ...tail].flatMap((word) => [word >> 8, word & 0xff]);
}
