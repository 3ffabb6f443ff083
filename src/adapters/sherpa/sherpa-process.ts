import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { arch, platform } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { SherpaAnswer, SherpaRequest } from './sherpa-messages.ts';

const CHILD = fileURLToPath(new URL('./sherpa-child.ts', import.meta.url));
const MAX_STDERR_CHARS = 4_000;

/** Thrown if the sherpa-onnx process exited or was killed before it responded. */
export class SherpaDied extends Error {
  override name = 'SherpaDied';
}

/** Thrown if sherpa-onnx is not installed, or cannot be loaded on this machine. */
export class SherpaMissing extends Error {
  override name = 'SherpaMissing';
}

type Question = SherpaRequest extends infer Each ? (Each extends SherpaRequest ? Omit<Each, 'id'> : never) : never;
type Answered = Exclude<SherpaAnswer, { failure: string }>;
type Waiting = { resolve: (answer: Answered) => void; reject: (error: Error) => void };

/**
 * A process that runs sherpa-onnx. It is killed by `close`, if a request takes too long, and when this process exits.
 */
export class SherpaProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private stderr = '';
  /** Reason why the process exited. Null while it runs. */
  private end: Error | null = null;

  /** `program` is the child program, which tests replace. */
  constructor(program: string = CHILD) {
    this.child = fork(program, [], {
      serialization: 'advanced',
      // Pass no environment variables, because code that processes downloaded models must not see the keys of the
      // service.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR_CHARS);
    });
    this.child.on('message', (answer: SherpaAnswer) => this.settle(answer));
    this.child.once('error', (error) => this.finish(new SherpaDied(`sherpa-onnx did not start: ${error.message}`)));
    this.hold(false);
    // The event `close` is emitted after all output of the process has been read.
    this.child.once('close', (code, signal) => this.finish(new SherpaDied(this.describeEnd(code, signal))));
  }

  get isOver(): boolean {
    return this.end !== null;
  }

  /**
   * Sends a request and returns the result. Throws `SherpaDied` if the process exits first, or if it exceeds `limitMs`
   * and is killed. Throws `SherpaMissing` if the library cannot be loaded.
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
      // A call of the library can only be stopped by killing the process.
      if (signal.aborted) this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
      this.hold(this.waiting.size > 0);
    }
  }

  /** Makes the child keep this process running only while a request is pending. */
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

/** Returns the folder of the package with the native library for this machine, or null if it is not installed. */
export function platformFolder(): string | null {
  try {
    const library = createRequire(import.meta.url).resolve('sherpa-onnx-node');
    return dirname(createRequire(library).resolve(`sherpa-onnx-${platform()}-${arch()}/package.json`));
  } catch {
    // The package is not installed, or not built for this machine. Loading the library reports that.
    return null;
  }
}
