import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { arch, platform } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { SherpaAnswer, SherpaRequest } from './sherpa-messages.ts';

const CHILD = fileURLToPath(new URL('./sherpa-child.ts', import.meta.url));
const MAX_STDERR = 4_000;

/** The sherpa-onnx process exited or was killed before it responded. */
export class SherpaDied extends Error {
  override name = 'SherpaDied';
}

/** The library is not installed, or cannot be loaded on this machine. */
export class SherpaMissing extends Error {
  override name = 'SherpaMissing';
}

type Question = SherpaRequest extends infer Each ? (Each extends SherpaRequest ? Omit<Each, 'id'> : never) : never;
type Answered = Exclude<SherpaAnswer, { failure: string }>;
type Waiting = { resolve: (answer: Answered) => void; reject: (error: Error) => void };

/**
 * A process that runs sherpa-onnx. It is killed by `close`, after a request that takes too long, and with this process.
 */
export class SherpaProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private stderr = '';
  /** Reason why it exited; null while it runs. */
  private end: Error | null = null;

  /** `program`: another child program, for tests. */
  constructor(program: string = CHILD) {
    this.child = fork(program, [], {
      serialization: 'advanced',
      // Passes no environment, because code that processes downloaded models needs none of the service's keys.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR);
    });
    this.child.on('message', (answer: SherpaAnswer) => this.settle(answer));
    this.child.once('error', (error) => this.finish(new SherpaDied(`sherpa-onnx did not start: ${error.message}`)));
    this.hold(false);
    // `close` is emitted after the last of its output.
    this.child.once('close', (code, signal) => this.finish(new SherpaDied(this.describeEnd(code, signal))));
  }

  get isOver(): boolean {
    return this.end !== null;
  }

  /**
   * Sends a request and returns the result. Throws `SherpaDied` if the process ends first, or exceeds `limitMs` and is
   * killed, and `SherpaMissing` without the library.
   */
  async request(question: Question, limitMs: number, signal: AbortSignal): Promise<Answered> {
    signal.throwIfAborted();
    if (this.end !== null) throw this.end;
    this.lastId += 1;
    const id = this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    this.waiting.set(id, { resolve, reject });
    this.hold(true);
    const timer = setTimeout(
      () => this.close(new SherpaDied(`sherpa-onnx did not respond for ${limitMs / 1000} s.`)),
      limitMs,
    );
    this.child.send({ ...question, id }, (error) => {
      if (error !== null) this.close(new SherpaDied(`sherpa-onnx accepts no requests: ${error.message}`));
    });
    try {
      return await unlessAborted(promise, signal);
    } catch (error) {
      // Only killing the process stops a call of the library.
      if (signal.aborted) this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
      this.hold(this.waiting.size > 0);
    }
  }

  /** Keeps this process running only while a request is pending. The child ends with it. */
  private hold(isHeld: boolean): void {
    const { stderr, channel } = this.child;
    if (isHeld) {
      this.child.ref();
      channel?.ref();
    } else {
      this.child.unref();
      channel?.unref();
      if (stderr instanceof Socket) stderr.unref();
    }
  }

  close(reason: Error = new SherpaDied('sherpa-onnx was closed.')): void {
    this.finish(reason);
    this.child.kill('SIGKILL');
  }

  private settle(answer: SherpaAnswer): void {
    const waiting = this.waiting.get(answer.id);
    if (!('failure' in answer)) waiting?.resolve(answer);
    else if (answer.isMissing) waiting?.reject(new SherpaMissing(answer.failure));
    else waiting?.reject(new Error(`sherpa-onnx: ${answer.failure}`));
  }

  private finish(reason: Error): void {
    this.end ??= reason;
    for (const { reject } of this.waiting.values()) reject(this.end);
    this.waiting.clear();
  }

  private describeEnd(code: number | null, signal: string | null): string {
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const last = this.stderr.trim().split('\n').slice(-3).join(' ');
    return `The process of sherpa-onnx ended ${how}${last === '' ? '.' : `: ${last.slice(0, 500)}`}`;
  }
}

/** Returns the folder of the package that holds the library for this machine, or null if it is not installed. */
export function platformFolder(): string | null {
  try {
    const library = createRequire(import.meta.url).resolve('sherpa-onnx-node');
    return dirname(createRequire(library).resolve(`sherpa-onnx-${platform()}-${arch()}/package.json`));
  } catch {
    // The package is not installed, or not built for this machine. Loading the library reports that.
    return null;
  }
}
