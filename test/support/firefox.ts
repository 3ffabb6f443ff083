import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { BidiConnection } from './bidi.ts';

/** Timeout against hangs. The first start is slow on a busy machine. */
const START_MS = 120_000;
const END_MS = 10_000;

/** Prevents requests to other machines: non-loopback requests go to a proxy that does not exist. */
const PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'http://127.0.0.1:9',
  'media.gmp-manager.updateEnabled': false,
  'media.autoplay.default': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
};

/** WebDriver code points of keys without a character. */
const KEYS: Readonly<Record<string, string>> = {
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Escape: '\uE00C',
  Enter: '\uE007',
  Tab: '\uE004',
};

type EvaluateResult =
  | { type: 'success'; result: { value?: unknown } }
  | { type: 'exception'; exceptionDetails: { text: string } };
type LogEntry = { level: string; text: string | null };

/**
 * Debian's Firefox ESR, headless, controlled by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). Playwright
 * supports only its own Firefox build. `close` ends the process and removes its profile.
 */
export class Firefox {
  readonly #child: ChildProcess;
  readonly #connection: BidiConnection;
  readonly #profile: string;

  private constructor(child: ChildProcess, connection: BidiConnection, profile: string) {
    this.#child = child;
    this.#connection = connection;
    this.#profile = profile;
  }

  static async launch(): Promise<Firefox> {
    const profile = await mkdtemp(path.join(tmpdir(), 'mr-firefox-'));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
    const child = spawn('/usr/bin/firefox-esr', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const connection = await BidiConnection.open(`${await readAddress(child)}/session`);
      await connection.send('session.new', { capabilities: {} });
      await connection.send('session.subscribe', { events: ['log.entryAdded'] });
      return new Firefox(child, connection, profile);
    } catch (error) {
      await end(child, profile);
      throw error;
    }
  }

  /** Opens an empty page of `widthPx` x `heightPx`. */
  async newPage(widthPx = 1280, heightPx = 720): Promise<FirefoxPage> {
    const { context } = await this.#connection.send<{ context: string }>('browsingContext.create', { type: 'tab' });
    const viewport = { width: widthPx, height: heightPx };
    await this.#connection.send('browsingContext.setViewport', { context, viewport });
    return new FirefoxPage(this.#connection, context);
  }

  async close(): Promise<void> {
    this.#connection.close();
    await end(this.#child, this.#profile);
  }
}

/** A tab. `faults` collects console errors, including uncaught exceptions. */
export class FirefoxPage {
  readonly faults: string[] = [];
  readonly #connection: BidiConnection;
  readonly #context: string;

  constructor(connection: BidiConnection, context: string) {
    this.#connection = connection;
    this.#context = context;
    connection.on('log.entryAdded', (params: LogEntry & { source: { context?: string } }) => {
      if (params.source.context === context && params.level === 'error') this.faults.push(params.text ?? '');
    });
  }

  /** Opens a URL and waits for the page to load. */
  async goto(url: string): Promise<void> {
    await this.#connection.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** Runs a function in the page with JSON arguments and a JSON result. Awaits a promise. */
  async evaluate<Args extends readonly unknown[], Answer>(
    run: (...args: Args) => Answer | Promise<Answer>,
    ...args: Args
  ): Promise<Answer> {
    const answer = await this.#connection.send<EvaluateResult>('script.callFunction', {
      // Uses JSON both ways, because BiDi represents values as a tree of tagged nodes.
      functionDeclaration: `async (json) => JSON.stringify((await (${run.toString()})(...JSON.parse(json))) ?? null)`,
      arguments: [{ type: 'string', value: JSON.stringify(args) }],
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: true,
    });
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return JSON.parse(String(answer.result.value));
  }

  /** Presses and releases a key, named as in `KeyboardEvent.key`. */
  async press(key: string): Promise<void> {
    const value = KEYS[key] ?? key;
    const actions = [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ];
    await this.#perform({ type: 'key', id: 'keyboard', actions });
  }

  /** Clicks at a position on the page, in CSS pixels. */
  async click(x: number, y: number): Promise<void> {
    const [left, top] = [Math.round(x), Math.round(y)];
    const actions = [
      { type: 'pointerMove', x: left, y: top },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#perform({ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions });
  }

  /** Returns a screenshot of the page as PNG. */
  async screenshot(): Promise<Buffer> {
    const context = this.#context;
    const { data } = await this.#connection.send<{ data: string }>('browsingContext.captureScreenshot', { context });
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    await this.#connection.send('browsingContext.close', { context: this.#context });
  }

  async #perform(source: object): Promise<void> {
    await this.#connection.send('input.performActions', { context: this.#context, actions: [source] });
  }
}

/** Firefox writes the URL of its debugging server to its error output. */
async function readAddress(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('Expected the error output of Firefox to be a pipe.');
  const lines = createInterface({ input: child.stderr });
  const seen: string[] = [];
  const signal = AbortSignal.timeout(START_MS);
  signal.addEventListener('abort', () => lines.close());
  for await (const line of lines) {
    const address = /^WebDriver BiDi listening on (ws:\S+)$/.exec(line)?.[1];
    if (address !== undefined) {
      // Later output is read and discarded, so that the process never blocks on it.
      child.stderr.resume();
      return address;
    }
    seen.push(line);
  }
  throw new Error(`Expected Firefox to print its debugging URL within ${START_MS} ms, got: ${seen.join(' | ')}`);
}

async function end(child: ChildProcess, profile: string): Promise<void> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const over = new Promise<void>((resolve) => {
    if (isOver()) resolve();
    else child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await over;
  clearTimeout(late);
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
}
