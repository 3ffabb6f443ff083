import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../src/lib/has-code.ts';
import { freePort } from './service.ts';

/** Timeout against hangs. The first start is slow on a busy machine. */
const START_MS = 120_000;
const COMMAND_MS = 120_000;
const STATUS_MS = 5_000;
const END_MS = 10_000;

type Answer = { value: unknown };

/**
 * Debian's WebKitGTK in a virtual display, controlled by WebDriver (https://www.w3.org/TR/webdriver2/). It plays media
 * with GStreamer, and has `ManagedMediaSource` like Safari. It has one page. `close` ends all processes.
 *
 * If its audio output reports its volume late, WebKitGTK turns the sound of a muted page on, and then pauses the page,
 * because nobody has clicked. Tests resume playback with a key, as a viewer would.
 */
export class WebKit {
  readonly #children: readonly ChildProcess[];
  readonly #home: string;
  readonly #session: string;

  private constructor(children: readonly ChildProcess[], home: string, session: string) {
    this.#children = children;
    this.#home = home;
    this.#session = session;
  }

  static async launch(widthPx = 640, heightPx = 480): Promise<WebKit> {
    const home = await mkdtemp(path.join(tmpdir(), 'mr-webkit-'));
    const children: ChildProcess[] = [];
    try {
      const screen = ['-screen', '0', '1280x1024x24', '-nolisten', 'tcp', '-displayfd', '3'];
      const display = await start('Xvfb', screen, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] }, children);
      const env = {
        ...process.env,
        DISPLAY: `:${await readLine(display)}`,
        HOME: home,
        XDG_RUNTIME_DIR: home,
        LIBGL_ALWAYS_SOFTWARE: '1',
        NO_AT_BRIDGE: '1',
        // Requests to other machines go to a proxy that does not exist.
        http_proxy: 'http://127.0.0.1:9',
        https_proxy: 'http://127.0.0.1:9',
        no_proxy: '127.0.0.1,localhost',
      };
      const port = await freePort();
      const argv = [`--port=${port}`, '--host=127.0.0.1'];
      await start('WebKitWebDriver', argv, { env, stdio: 'ignore' }, children);
      const base = `http://127.0.0.1:${port}/session`;
      await untilListening(port);
      const options = { args: ['--automation', `--geometry=${widthPx}x${heightPx}`] };
      const capabilities = { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } };
      const { sessionId } = (await command('POST', base, { capabilities })) as { sessionId: string };
      return new WebKit(children, home, `${base}/${sessionId}`);
    } catch (error) {
      await end(children, home);
      throw error;
    }
  }

  /** Opens a URL and waits for the page to load. */
  async goto(url: string): Promise<void> {
    await command('POST', `${this.#session}/url`, { url });
  }

  /** Runs a function in the page with JSON arguments and a JSON result. Awaits a promise. */
  async evaluate<Args extends readonly unknown[], Result>(
    run: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result> {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve().then(() => (${run.toString()})(...JSON.parse(arguments[0])))
        .then((value) => done({ value: JSON.stringify(value ?? null) }), (error) => done({ fault: String(error) }));`;
    const found = await command('POST', `${this.#session}/execute/async`, { script, args: [JSON.stringify(args)] });
    const { value, fault } = found as { value?: string; fault?: string };
    if (value === undefined) throw new Error(fault);
    return JSON.parse(value);
  }

  /** Presses and releases a key, named as in `KeyboardEvent.key`. */
  async press(key: string): Promise<void> {
    const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: key }));
    await this.#perform({ type: 'key', id: 'keyboard', actions });
  }

  /** Clicks at a position on the page, in CSS pixels. */
  async click(x: number, y: number): Promise<void> {
    const actions = [
      { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#perform({ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions });
  }

  async close(): Promise<void> {
    // The driver ends the browser with the session.
    await command('DELETE', this.#session).catch(() => undefined);
    await end(this.#children, this.#home);
  }

  async #perform(source: object): Promise<void> {
    await command('POST', `${this.#session}/actions`, { actions: [source] });
  }
}

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    signal: AbortSignal.timeout(COMMAND_MS),
  });
  const { value } = (await response.json()) as Answer;
  if (response.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${error}: ${message}`);
}

/** Starts a program in a process group of its own, and adds it to `children`. Rejects if it cannot be started. */
async function start(
  program: string,
  argv: readonly string[],
  options: SpawnOptions,
  children: ChildProcess[],
): Promise<ChildProcess> {
  const child = spawn(program, argv, { ...options, detached: true });
  children.push(child);
  // Rejects with the error if the program is missing.
  await once(child, 'spawn');
  return child;
}

/** Xvfb writes the number of its display to descriptor 3. */
async function readLine(display: ChildProcess): Promise<string> {
  const output = display.stdio[3];
  if (output === null || output === undefined || !('read' in output)) throw new Error('Expected a pipe of Xvfb.');
  const [line] = await once(createInterface({ input: output }), 'line', { signal: AbortSignal.timeout(START_MS) });
  return String(line).trim();
}

async function untilListening(port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const signal = AbortSignal.timeout(STATUS_MS);
    const found = await fetch(`http://127.0.0.1:${port}/status`, { signal }).catch(() => null);
    if (found !== null) return;
    await sleep(100);
  }
  throw new Error(`Expected WebKitWebDriver to listen within ${START_MS} ms.`);
}

/** Kills the processes that a child started and left, such as the browser of a driver that was killed. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function end(children: readonly ChildProcess[], home: string): Promise<void> {
  for (const child of children.toReversed()) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(late);
    killGroup(child.pid);
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
