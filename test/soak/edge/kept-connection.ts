import { connect, type Socket } from 'node:net';

/** A response whose body was read completely and discarded. */
export type Reply = { status: number; bytes: number; ms: number };

type Waiting = { startedMs: number; resolve(reply: Reply): void; reject(error: Error): void };

/**
 * One client's kept-alive connection, with one request at a time. It consists of a socket and a counter, so that ten
 * thousand fit in a process.
 */
export class KeptConnection {
  readonly #socket: Socket;
  #head = '';
  #status = 0;
  #left = 0;
  #bytes = 0;
  #waiting: Waiting | null = null;

  /** `from` is the address of this machine that the server sees. */
  constructor(port: number, from: string) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    this.#socket.on('data', (part: Buffer) => this.#take(part));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The connection was closed.')));
  }

  ask(path: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#waiting !== null || this.#socket.destroyed) {
        reject(new Error('Expected a connection that is open and free.'));
        return;
      }
      this.#waiting = { startedMs: performance.now(), resolve, reject };
      this.#head = '';
      this.#left = -1;
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    });
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(part: Buffer): void {
    let body = part.length;
    if (this.#left < 0) {
      this.#head += part.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.#status = Number(this.#head.slice(9, 12));
      this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
      this.#bytes = this.#left;
      body = this.#head.length - end - 4;
    }
    this.#left -= body;
    if (this.#left > 0 || this.#waiting === null) return;
    const { startedMs, resolve } = this.#waiting;
    this.#waiting = null;
    resolve({ status: this.#status, bytes: this.#bytes, ms: performance.now() - startedMs });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(error);
  }
}

/** Returns an address of this machine for each client, so that each client has a separate share of the limits. */
export function loopbackAddress(client: number): string {
  return `127.${1 + Math.floor(client / 65_536)}.${Math.floor(client / 256) % 256}.${1 + (client % 254)}`;
}
