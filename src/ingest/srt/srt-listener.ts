import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SrtFrame, SrtFrameReader, type SrtReport, type SrtVerdict } from './srt-frames.ts';
import { openSrtGate } from './srt-gate.ts';

const CHILD = fileURLToPath(new URL('./srt-child.ts', import.meta.url));
const FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'];
const RESTART_MS = 2_000;

/** Thrown if libsrt or koffi is missing. The service then runs without this listener. */
export class SrtMissing extends Error {
  constructor(reason: string) {
    super(`Publishing over SRT is not available: ${reason}`);
    this.name = 'SrtMissing';
  }
}

/** Reports about callers. The others concern the process only. */
export type CallerReport = Exclude<SrtReport, { type: 'loaded' | 'listening' | 'failed' }>;

export type ListenerEvents = {
  data(connection: number, bytes: Buffer): void;
  /** `reply` sends the verdict on a check. */
  report(report: CallerReport, reply: (verdict: SrtVerdict) => void): void;
  /** The process has ended, and all its connections with it. */
  ended(): void;
  failed(error: Error): void;
};

/** `idleMs`: time without callers after which the process of libsrt ends. */
type Place = { address: string; idleMs: number };

/**
 * Holds the UDP port of the SRT listener. libsrt wakes up a hundred times a second, so its process only runs while
 * there are callers and for `idleMs` afterwards. Then a gate holds the port, and the next handshake starts the process
 * again.
 */
export class SrtListener {
  readonly #place: Place;
  readonly #events: ListenerEvents;
  readonly #closing = new AbortController();
  #process: SrtProcess | null = null;
  #kept: Promise<void> = Promise.resolve();

  constructor(place: Place, events: ListenerEvents) {
    this.#place = place;
    this.#events = events;
  }

  /** Starts the process of libsrt and returns its port. Throws `SrtMissing` if libsrt or koffi is missing. */
  async start(port: number): Promise<number> {
    const first = this.#spawn(port);
    const bound = await first.listen();
    this.#kept = this.#keep(first, bound);
    return bound;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#process?.kill();
    await this.#kept;
  }

  drop(connection: number): void {
    this.#process?.write(String(connection));
  }

  #spawn(port: number): SrtProcess {
    this.#process = new SrtProcess({ ...this.#place, port }, this.#events);
    return this.#process;
  }

  async #keep(first: SrtProcess, port: number): Promise<void> {
    const { signal } = this.#closing;
    for (let running: SrtProcess | null = first; ; ) {
      const exit = await running?.ended;
      if (running !== null) this.#events.ended();
      if (signal.aborted) return;
      try {
        if (exit !== undefined && exit !== 'code 0')
          throw new Error(`The process of the SRT listener exited (${exit}) and is restarted.`);
        running = await this.#startOnCall(port);
      } catch (error) {
        running = null;
        if (signal.aborted) return;
        this.#events.failed(error instanceof Error ? error : new Error(String(error)));
        await sleep(RESTART_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Waits for a caller, and returns the process that listens for it. The gate holds the port until that is loaded. */
  async #startOnCall(port: number): Promise<SrtProcess> {
    const { signal } = this.#closing;
    const called = Promise.withResolvers<void>();
    const abort = () => called.reject(signal.reason);
    const gate = await openSrtGate({ ...this.#place, port }, { onCaller: called.resolve, onFailed: called.reject });
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      await called.promise;
      signal.throwIfAborted();
      const next = this.#spawn(port);
      await next.loaded;
      await gate.close();
      await next.listen();
      return next;
    } finally {
      signal.removeEventListener('abort', abort);
      await gate.close();
    }
  }
}

/** A process that runs libsrt. It listens after `listen`. */
class SrtProcess {
  readonly #child: ChildProcess;
  readonly #events: ListenerEvents;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #listening = Promise.withResolvers<number>();
  readonly #ended = Promise.withResolvers<string>();
  #isListening = false;

  constructor({ address, port, idleMs }: Place & { port: number }, events: ListenerEvents) {
    this.#events = events;
    const child = spawn(process.execPath, [...FLAGS, CHILD, address, String(port), String(idleMs)], {
      stdio: ['pipe', 'ignore', 'inherit', 'pipe', 'pipe'],
      // The child parses data from unauthenticated callers, so it gets none of the service's secrets.
      env: {},
    });
    this.#child = child;
    // The exit of the child is handled separately.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    for (const { promise } of [this.#loaded, this.#listening]) promise.catch(() => undefined);
    const reader = new SrtFrameReader();
    // These streams were opened as pipes.
    const reports = child.stdio[3] as Readable;
    reports.on('data', (bytes: Buffer) => {
      for (const frame of reader.push(bytes)) this.#take(frame);
    });
    child.once('error', (error) => this.#fail(error));
    child.once('close', (code, signal) => {
      const exit = signal ?? `code ${code}`;
      this.#fail(new Error(`The process of the SRT listener exited: ${exit}.`));
      this.#ended.resolve(exit);
    });
  }

  /** Resolves when libsrt is loaded. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Resolves when the process has exited, with the reason. `code 0`: it had no callers. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Binds the port, and returns it. */
  async listen(): Promise<number> {
    await this.loaded;
    this.write('listen');
    return await this.#listening.promise;
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #reply(verdict: SrtVerdict): void {
    const text = Buffer.from(JSON.stringify(verdict));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(text.length);
    // This stream was opened as a pipe.
    (this.#child.stdio[4] as Writable).write(Buffer.concat([size, text]));
  }

  #take(frame: SrtFrame): void {
    if (frame.type === 'data') {
      this.#events.data(frame.connection, frame.bytes);
      return;
    }
    const { report } = frame;
    if (report.type === 'loaded') this.#loaded.resolve();
    else if (report.type === 'listening') this.#noteListening(report.port);
    else if (report.type !== 'failed') this.#events.report(report, (verdict) => this.#reply(verdict));
    else if (report.isMissing) this.#fail(new SrtMissing(report.reason));
    else this.#failed(new Error(report.reason));
  }

  #noteListening(port: number): void {
    this.#isListening = true;
    this.#listening.resolve(port);
  }

  /** An error before the port is bound is an error of `listen`. */
  #failed(error: Error): void {
    if (this.#isListening) this.#events.failed(error);
    else this.#fail(error);
  }

  #fail(error: Error): void {
    this.#loaded.reject(error);
    this.#listening.reject(error);
  }
}
