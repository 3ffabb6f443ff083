import { lookup } from 'node:dns/promises';
import { type AttemptLimit, type AttemptRate, createAttemptLimit } from '../../lib/attempt-limit.ts';
import { clientKey } from '../../lib/client-key.ts';
import { bindOnce } from '../../lib/listen.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import type { EndedBy, MediaInput, Publish } from '../../media/live/publishing/publisher.ts';
import type { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import type { SrtVerdict } from './srt-frames.ts';
import { type CallerReport, SrtListener } from './srt-listener.ts';
import { SrtSession } from './srt-session.ts';
import { readStreamId } from './stream-id.ts';

/** Maximum wait for a verdict, in ms. It blocks libsrt and therefore every caller. */
const VERDICT_MS = 400;
/**
 * Time in ms after a late verdict during which callers are rejected immediately, because the database is down or slow.
 */
const BUSY_MS = 3_000;
/** Time without callers after which the process of libsrt ends, in ms. Starting it takes about 0.1 s of CPU. */
const IDLE_MS = 30_000;
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
  /** Shows the reason why a publisher was refused in the status of the stream with this key. */
  noteRefusal(streamKey: string, reason: string): Promise<void>;
  budget: EncoderBudget;
  /** Passphrase that callers need if they identify a stream by its key, or null if they need none. */
  passphrase: string | null;
  /** Limit of wrong keys per address; `ATTEMPTS` when absent. */
  attempts?: AttemptRate;
  /** Time without callers after which the process of libsrt ends, in ms; `IDLE_MS` when absent. */
  idleMs?: number;
  report(error: Error): void;
};

export type SrtServer = { port: number; close(): Promise<void> };

/**
 * Listens for publishers over SRT. Throws `SrtMissing` if libsrt or koffi is missing, and an error if the port is in
 * use. If the process that runs libsrt fails later, this is reported, and the next caller starts another one on the
 * same port. `close` closes all connections.
 */
export async function startSrt({ host, port, ...deps }: SrtDeps & { host: string; port: number }): Promise<SrtServer> {
  const { address } = await lookup(host);
  // libsrt does not report whether the port is in use.
  if (port > 0) await bindOnce(port, address);
  const server = new Server(address, deps);
  return { port: await server.start(port), close: () => server.close() };
}

type Reply = (verdict: SrtVerdict) => void;

/** `ended`: how the connection ended, in case its publisher is accepted later. */
type Caller = { session: SrtSession | null; waiting: Buffer[]; ended: { reason: string; by: EndedBy } | null };

class Server {
  readonly #listener: SrtListener;
  readonly #deps: SrtDeps;
  readonly #mayTry: AttemptLimit;
  readonly #callers = new Map<number, Caller>();
  #busyUntilMs = 0;
  #isClosing = false;

  constructor(address: string, deps: SrtDeps) {
    this.#deps = deps;
    this.#mayTry = createAttemptLimit(deps.attempts ?? ATTEMPTS);
    this.#listener = new SrtListener(
      { address, idleMs: deps.idleMs ?? IDLE_MS },
      {
        data: (connection, bytes) => this.#receive(connection, bytes),
        report: (report, reply) => this.#handle(report, reply),
        ended: () => this.#forgetAll(),
        failed: deps.report,
      },
    );
  }

  start(port: number): Promise<number> {
    return this.#listener.start(port);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#listener.close();
  }

  #forgetAll(): void {
    for (const connection of [...this.#callers.keys()])
      this.#forget(connection, 'The SRT listener of the server stopped. Connect again.', 'server');
  }

  #handle(report: CallerReport, reply: Reply): void {
    switch (report.type) {
      case 'check':
        this.#answer(report, reply).catch((error: Error) => this.#deps.report(error));
        return;
      case 'open':
        this.#open(report).catch((error: Error) => {
          if (!(error instanceof Refused)) this.#deps.report(error);
          this.#drop(report.connection, error.message);
        });
        return;
      case 'unsecured':
        this.#noteUnsecured(report).catch((error: Error) => {
          // The stream may have ended or been deleted since the caller was admitted.
          if (!(error instanceof Refused)) this.#deps.report(error);
        });
        return;
      case 'refused':
        this.#deps.report(new Error(`Could not accept an SRT connection: ${report.reason}`));
        return;
      case 'closed':
        this.#forget(report.connection, report.reason, 'publisher');
    }
  }

  async #answer({ remote, streamId }: Extract<CallerReport, { type: 'check' }>, reply: Reply): Promise<void> {
    const verdict = await this.#judge(remote, streamId);
    if ('reject' in verdict) logRefusal(remote, REASONS[verdict.reject] ?? `code ${verdict.reject}`);
    reply(verdict);
  }

  /** Gives the reason for a failed handshake in the log, and in the status of the stream that the caller named. */
  async #noteUnsecured(report: Extract<CallerReport, { type: 'unsecured' }>): Promise<void> {
    const { remote, streamId, needsPassphrase } = report;
    const wanted = readStreamId(streamId);
    if (wanted === null) return;
    const { streamKey, isSecret } = await this.#deps.check(wanted.name);
    const reason = needsPassphrase ? NO_PASSPHRASE[isSecret ? 'key' : 'setting'] : EXTRA_PASSPHRASE;
    logRefusal(remote, reason);
    // Anyone who knows a stream id can call, so the number of writes is limited.
    if (this.#mayTry(clientKey(remote), Date.now())) await this.#deps.noteRefusal(streamKey, reason);
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
  async #open({ connection, remote, streamId }: Extract<CallerReport, { type: 'open' }>): Promise<void> {
    const caller: Caller = { session: null, waiting: [], ended: null };
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
    if (caller.ended !== null) {
      input.end(caller.ended.reason, caller.ended.by);
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
    else this.#drop(connection, 'The stream could not be opened in time. Connect again.');
  }

  #drop(connection: number, reason: string): void {
    this.#forget(connection, reason, 'server');
    this.#listener.drop(connection);
  }

  #forget(connection: number, reason: string, by: EndedBy): void {
    const caller = this.#callers.get(connection);
    if (caller === undefined) return;
    this.#callers.delete(connection);
    caller.ended = { reason, by };
    caller.session?.end(reason, by);
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

const NO_PASSPHRASE = {
  key: 'Expected the stream key as SRT passphrase, got none or another one. Set it in the encoder.',
  setting: 'Expected the SRT passphrase of this server, got none or another one. Set it in the encoder.',
} as const;
const EXTRA_PASSPHRASE =
  'Expected no SRT passphrase together with the stream key, got one. Remove it in the encoder, or send the ID of the ' +
  'stream instead of its key.';

function logRefusal(address: string, reason: string): void {
  logEvent('publisher.refused', { protocol: 'srt', address, reason });
}

/** Maximum number of buffers queued for a caller, of at most 64 KiB each. */
const MAX_QUEUED = 64;
