import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { EdgeLog } from '../edge-deps.ts';
import { headOfKnown, type KnownSegments } from '../hls/known-segments.ts';
import type { ObjectSender } from '../objects/object-sender.ts';

/** Bytes of a request that may be answered by the short way. */
const MAX_REQUEST_BYTES = 2_048;
/** Of players that are alike: each sends the same header lines with every request. About 1 KB each. */
const MAX_KNOWN_LINES = 1_024;

const METHOD = 'GET ';
const VERSION = ' HTTP/1.1\r\n';
const END = '\r\n\r\n';

/** What is known of a connection between two of its reads. */
type Line = {
  parse: (bytes: Buffer) => void;
  /** Requests that `node:http` has read on it so far, and those that it has not answered yet. */
  requests: number;
  open: number;
  /** False for good once something came that is not one whole request without a body: only the parser knows its place then. */
  isPlain: boolean;
  /** The request that is being read. */
  text: string;
};

type Deps = { known: KnownSegments; objects: ObjectSender; keepAliveSec: number; log: EdgeLog };

/**
 * Answers requests for known segments before `node:http` reads them, which costs as much as sending the segment. Only
 * those whose header lines are, byte for byte, lines that `node:http` has read before and found to ask for a whole
 * segment and nothing else; whatever differs goes its ordinary way, on the same connection.
 */
export class ShortWay {
  readonly #deps: Deps;
  readonly #lines = new WeakMap<Socket, Line>();
  /** The host that header lines name; those that came first go first. */
  readonly #hosts = new Map<string, string>();
  readonly #sending = new Set<Promise<void>>();
  #server: Server | null = null;
  #isOpen = true;
  #date = '';
  #dateSec = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Stands between the connections of a server and its parser. */
  attach(server: Server): void {
    this.#server = server;
    server.on('connection', (socket) => {
      const [parse, ...others] = socket.listeners('data');
      // The server puts its one reader there first. Were it otherwise, all would go the ordinary way.
      if (parse === undefined || others.length > 0) return;
      const read = (bytes: Buffer) => void parse.call(socket, bytes);
      const line: Line = { parse: read, requests: 0, open: 0, isPlain: true, text: '' };
      this.#lines.set(socket, line);
      socket.on('data', (bytes: Buffer) => this.#read(socket, line, bytes));
      // Not sooner: with the first reader of ours, the parser stops reading from the connection by itself.
      socket.off('data', parse as (bytes: Buffer) => void);
    });
  }

  /** Hears of a request that `node:http` has read. */
  begin({ socket, method, headers }: IncomingMessage, response: ServerResponse): void {
    const line = this.#lines.get(socket);
    if (line === undefined) return;
    line.requests += 1;
    line.open += 1;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (method !== 'GET' || hasBody) line.isPlain = false;
    response.once('close', () => {
      line.open -= 1;
    });
  }

  /** Keeps the header lines of a request that was found to be one for a known segment. */
  learn({ socket, httpVersion, headers }: IncomingMessage): void {
    const { text = '', isPlain = false } = this.#lines.get(socket) ?? {};
    const { host, connection = 'keep-alive', upgrade, expect } = headers;
    const stays = httpVersion === '1.1' && connection === 'keep-alive' && upgrade === undefined && expect === undefined;
    // Lines that announce a body, which may come in a later packet, would have it read as the next request.
    if (host === undefined || !stays || !isPlain || !isOneRequest(text)) return;
    this.#hosts.set(text.slice(text.indexOf(VERSION) + VERSION.length), host);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > MAX_KNOWN_LINES && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /**
   * From now on nobody new is let in, and all others go the ordinary way. Resolves when what was begun is sent, or after
   * `limitMs`; the server is still to be closed.
   */
  async close(limitMs: number): Promise<void> {
    this.#isOpen = false;
    // The close of an HTTP server also cuts connections that its parser takes for idle, as it does those that we answer.
    if (this.#server?.listening === true) NetServer.prototype.close.call(this.#server);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    await Promise.race([Promise.all(this.#sending), late]);
    clearTimeout(timer);
  }

  #read(socket: Socket, line: Line, bytes: Buffer): void {
    if (!line.isPlain) {
      line.parse(bytes);
      return;
    }
    const text = bytes.length > MAX_REQUEST_BYTES ? '' : bytes.toString('latin1');
    if (this.#answer(socket, line, text)) return;
    const before = line.requests;
    line.text = text;
    line.parse(bytes);
    line.text = '';
    if (line.requests !== before + 1 || !isOneRequest(text)) line.isPlain = false;
  }

  #answer(socket: Socket, line: Line, text: string): boolean {
    // The server counts a connection as late until it has read a request from it.
    if (!this.#isOpen || line.requests === 0 || line.open > 0) return false;
    if (!socket.writable || socket.writableLength > 0) return false;
    const end = text.indexOf(VERSION);
    if (end < 0 || !text.startsWith(METHOD)) return false;
    const host = this.#hosts.get(text.slice(end + VERSION.length));
    if (host === undefined) return false;
    const { known, objects, keepAliveSec } = this.#deps;
    const segment = known.findAt(text.slice(METHOD.length, end), host);
    if (segment === null) return false;
    const last = `Date: ${this.#now()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSec}\r\n\r\n`;
    const sent = objects.sendBare(socket, segment.window, headOfKnown(segment) + last);
    if (sent === null) return false;
    if (sent !== true) this.#waitFor(socket, sent);
    return true;
  }

  /** Reads nothing from a viewer who has not taken the answer yet. */
  #waitFor(socket: Socket, sent: Promise<boolean>): void {
    socket.pause();
    const done = sent
      .then(() => void socket.resume())
      .catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'An answer broke off.');
        // Only a cut connection tells a player that a begun answer is not whole.
        socket.destroy();
      })
      .finally(() => this.#sending.delete(done));
    this.#sending.add(done);
  }

  #now(): string {
    const sec = Math.floor(Date.now() / 1000);
    if (sec !== this.#dateSec) {
      this.#dateSec = sec;
      this.#date = new Date(sec * 1000).toUTCString();
    }
    return this.#date;
  }
}

function isOneRequest(text: string): boolean {
  return text.length > END.length && text.indexOf(END) === text.length - END.length;
}
