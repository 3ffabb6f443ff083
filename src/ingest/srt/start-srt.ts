import { type ChildProcess, spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type AttemptLimit, type AttemptRate, createAttemptLimit } from '../../lib/attempt-limit.ts';
import { clientKey } from '../../lib/client-key.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import type { MediaInput, Publish } from '../../media/live/publishing/publisher.ts';
import type { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { type SrtFrame, SrtFrameReader, type SrtReport, type SrtVerdict } from './srt-frames.ts';
import { SrtSession } from './srt-session.ts';
import { readStreamId } from './stream-id.ts';

const CHILD = fileURLToPath(new URL('./srt-child.ts', import.meta.url));
const FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'];

/** Maximum wait for a verdict, in ms. It blocks libsrt and therefore every caller. */
const VERDICT_MS = 400;
/**
 * Time in ms after a late verdict during which callers are rejected immediately, because the database is down or slow.
 */
const BUSY_MS = 3_000;
const RESTART_MS = 2_000;
const MAX_CONNECTIONS = 300;
/** Allowed number of wrong keys per address: a burst, then a rate per second. */
const ATTEMPTS = { burst: 20, perSec: 4 };
/** SRT access control codes. */
const REJECT = { badRequest: 1400, unauthorized: 1401, overload: 1402, forbidden: 1403, unavailable: 1503 };

/**
 * Resolves the name in a stream id to a stream key. Throws the same `Refused` errors as publishing. `isSecret`: the
 * caller sent the stream's id, not its key, so the key is the passphrase.
 */
export type CheckKey = (name: string) => Promise<{ streamKey: string; isSecret: boolean }>;

export type SrtDeps = {
  check: CheckKey;
  publish: Publish;
  budget: EncoderBudget;
  /** Passphrase that callers need if they identify a stream by its key, or null if they need none. */
  passphrase: string | null;
  /** Limit of wrong keys per address; `ATTEMPTS` when absent. */
  attempts?: AttemptRate;
  report(error: Error): void;
};

/** Thrown if libsrt or koffi is missing. The service then runs without this listener. */
export class SrtMissing extends Error {
  constructor(reason: string) {
    super(`Publishing over SRT is not available: ${reason}`);
    this.name = 'SrtMissing';
  }
}

export type SrtServer = { port: number; close(): Promise<void> };

/**
 * Listens for publishers over SRT. Throws `SrtMissing` if libsrt or koffi is missing. If the process that runs libsrt
 * exits later, this is reported and the process is restarted on the same port. `close` closes all connections.
 */
export async function startSrt({ host, port, ...deps }: SrtDeps & { host: string; port: number }): Promise<SrtServer> {
  const { address } = await lookup(host);
  const server = new Server(address, deps);
  return { port: await server.start(port), close: () => server.close() };
}

function failureOf({ reason, isMissing }: Extract<SrtReport, { type: 'failed' }>): Error {
  return isMissing ? new SrtMissing(reason) : new Error(reason);
}

type Caller = { session: SrtSession | null; waiting: Buffer[] };

class Server {
  readonly #address: string;
  readonly #deps: SrtDeps;
  readonly #mayTry: AttemptLimit;
  readonly #callers = new Map<number, Caller>();
  #child: ChildProcess | null = null;
  #port = 0;
  #busyUntilMs = 0;
  #isClosing = false;
  #restart: NodeJS.Timeout | null = null;

  constructor(address: string, deps: SrtDeps) {
    this.#address = address;
    this.#deps = deps;
    this.#mayTry = createAttemptLimit(deps.attempts ?? ATTEMPTS);
  }

  async start(port: number): Promise<number> {
    this.#port = await this.#spawn(port);
    return this.#port;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  #spawn(port: number): Promise<number> {
    const child = spawn(process.execPath, [...FLAGS, CHILD, this.#address, String(port)], {
      stdio: ['pipe', 'ignore', 'inherit', 'pipe', 'pipe'],
      // The child parses data from unauthenticated callers, so it gets none of the service's secrets.
      env: {},
    });
    this.#child = child;
    // The exit of the child is handled separately.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      const reader = new SrtFrameReader();
      let isUp = false;
      const take = (frame: SrtFrame) => {
        if (frame.type === 'data') this.#receive(frame.connection, frame.bytes);
        else if (frame.report.type === 'listening') {
          isUp = true;
          resolve(frame.report.port);
        } else if (frame.report.type === 'failed') {
          const failure = failureOf(frame.report);
          if (isUp) this.#deps.report(failure);
          else reject(failure);
        } else this.#handle(frame.report);
      };
      // These streams were opened as pipes.
      const reports = child.stdio[3] as Readable;
      reports.on('data', (bytes: Buffer) => {
        for (const frame of reader.push(bytes)) take(frame);
      });
      child.once('error', reject);
      child.once('close', (code, signal) => {
        reject(new Error(`The process of the SRT listener exited: ${signal ?? `code ${code}`}.`));
        if (isUp) this.#ended(String(signal ?? `code ${code}`));
      });
    });
  }

  #ended(how: string): void {
    for (const connection of [...this.#callers.keys()]) this.#forget(connection, 'the SRT listener ended');
    if (this.#isClosing) return;
    this.#deps.report(new Error(`The process of the SRT listener exited (${how}) and is restarted.`));
    this.#restart = setTimeout(() => {
      this.#spawn(this.#port).catch((error: Error) => {
        this.#deps.report(error);
        if (!this.#isClosing) this.#ended('it could not start');
      });
    }, RESTART_MS);
  }

  #handle(report: Exclude<SrtReport, { type: 'listening' | 'failed' }>): void {
    switch (report.type) {
      case 'check':
        this.#answer(report).catch((error: Error) => this.#deps.report(error));
        return;
      case 'open':
        this.#open(report).catch((error: Error) => {
          if (!(error instanceof Refused)) this.#deps.report(error);
          this.#drop(report.connection, error.message);
        });
        return;
      case 'refused':
        this.#deps.report(new Error(`Could not accept an SRT connection: ${report.reason}`));
        return;
      case 'closed':
        this.#forget(report.connection, report.reason);
    }
  }

  async #answer({ remote, streamId }: Extract<SrtReport, { type: 'check' }>): Promise<void> {
    const child = this.#child;
    const verdict = await this.#judge(remote, streamId);
    if ('reject' in verdict) noteRefusal(remote, verdict.reject);
    const text = Buffer.from(JSON.stringify(verdict));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(text.length);
    // This stream was opened as a pipe.
    (child?.stdio[4] as Writable | undefined)?.write(Buffer.concat([size, text]));
  }

  async #judge(remote: string, streamId: string): Promise<SrtVerdict> {
    if (this.#callers.size >= MAX_CONNECTIONS) return { reject: REJECT.overload };
    if (Date.now() < this.#busyUntilMs || this.#isClosing) return { reject: REJECT.unavailable };
    const wanted = readStreamId(streamId);
    if (wanted === null) return { reject: REJECT.badRequest };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), VERDICT_MS);
    });
    try {
      const found = await Promise.race([this.#deps.check(wanted.name), late]);
      if (found !== null) return { passphrase: found.isSecret ? found.streamKey : this.#deps.passphrase };
      this.#busyUntilMs = Date.now() + BUSY_MS;
      return { reject: REJECT.unavailable };
    } catch (error) {
      if (error instanceof Refused) {
        return { reject: error.kind === 'not-found' ? this.#refuseKey(remote) : REJECT.forbidden };
      }
      this.#deps.report(error instanceof Error ? error : new Error(String(error)));
      return { reject: REJECT.unavailable };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Returns the rejection code for a wrong key, and counts it. Valid keys are not affected by wrong keys from the same
   * address.
   */
  #refuseKey(remote: string): number {
    return this.#mayTry(clientKey(remote), Date.now()) ? REJECT.unauthorized : REJECT.overload;
  }

  /** Publishes the stream of a caller after its handshake. Received data waits until the publisher is accepted. */
  async #open({ connection, remote, streamId }: Extract<SrtReport, { type: 'open' }>): Promise<void> {
    const caller: Caller = { session: null, waiting: [] };
    this.#callers.set(connection, caller);
    const wanted = readStreamId(streamId);
    if (wanted === null)
      throw new Refused(
        'invalid',
        'Expected a stream id that contains a stream key, such as streamid=STREAM_KEY, got something else. ' +
          'Set the stream id in the encoder.',
      );
    const { streamKey } = await this.#deps.check(wanted.name);
    const disconnect = (reason: string) => this.#drop(connection, reason);
    const input = await this.#deps.publish({ streamKey, slot: wanted.slot, protocol: 'srt', remote, disconnect });
    if (this.#callers.get(connection) !== caller) {
      input.end('the connection closed');
      return;
    }
    caller.session = this.#sessionOf(connection, input);
    for (const bytes of caller.waiting.splice(0)) caller.session.take(bytes);
  }

  #sessionOf(connection: number, input: MediaInput): SrtSession {
    const { budget, report } = this.#deps;
    return new SrtSession(input, { budget, report, close: (reason) => this.#drop(connection, reason) });
  }

  #receive(connection: number, bytes: Buffer): void {
    const caller = this.#callers.get(connection);
    if (caller === undefined) return;
    if (caller.session !== null) caller.session.take(bytes);
    else if (caller.waiting.length < MAX_QUEUED) caller.waiting.push(Buffer.from(bytes));
    else this.#drop(connection, 'the stream could not be opened in time');
  }

  #drop(connection: number, reason: string): void {
    this.#forget(connection, reason);
    this.#child?.stdin?.write(`${connection}\n`);
  }

  #forget(connection: number, reason: string): void {
    const caller = this.#callers.get(connection);
    this.#callers.delete(connection);
    caller?.session?.end(reason);
  }
}

/** Reasons for refusals in the log, by SRT code. */
const REASONS: Readonly<Record<number, string>> = {
  [REJECT.badRequest]: 'The stream id contains no stream key.',
  [REJECT.unauthorized]: 'No stream has this key.',
  [REJECT.overload]: 'Too many connections, or too many wrong keys from this address.',
  [REJECT.forbidden]: 'The stream has ended and accepts no publisher.',
  [REJECT.unavailable]: 'The key could not be checked in time.',
};

function noteRefusal(address: string, code: number): void {
  logEvent('publisher.refused', { protocol: 'srt', address, reason: REASONS[code] ?? `code ${code}` });
}

/** Maximum number of buffers queued for a caller, of at most 64 KiB each. */
const MAX_QUEUED = 64;
