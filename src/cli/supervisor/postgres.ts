import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnConnection } from '../../config/database.ts';
import type { PartHealth } from '../../service/health.ts';
import { BackOff } from './back-off.ts';
import { type PostgresBinaries, preparePostgresBinaries } from './postgres-binaries.ts';
import { clearLeftOvers, DATABASE_USER, ensureCluster } from './postgres-cluster.ts';
import { choosePostgresIdentity, commandAs, type PostgresIdentity } from './postgres-identity.ts';
import { type PostgresFolders, placesIn, preparePlaces, removeSocketFolder, SOCKET_PORT } from './postgres-places.ts';
import { describeUnreadiness } from './reach-database.ts';

const DATABASE_NAME = 'millrace';
/** Number of exits after which a server that never responded is considered broken. */
const FIRST_START_LIVES = 4;
const READY_CHECK_EVERY_MS = 25;
const FAST_SHUTDOWN_MS = 2500;
const IMMEDIATE_SHUTDOWN_MS = 500;
const KEPT_LINES = 20;
const LAST_WORDS_MS = 500;

/**
 * Settings for a machine that also encodes, so they use little memory. Durability settings keep the defaults of
 * PostgreSQL (all on).
 */
const SERVER_OPTIONS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  // Buffers use memory only once they are filled. In an idle service, they take 8 MiB.
  shared_buffers: '256MB',
  work_mem: '4MB',
  maintenance_work_mem: '64MB',
  huge_pages: 'off',
  // Saves three I/O worker processes. There are few reads, and the kernel caches them.
  io_method: 'sync',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  autovacuum_max_workers: '2',
  max_logical_replication_workers: '0',
  max_wal_size: '512MB',
  log_line_prefix: '',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** Log events for messages of PostgreSQL, by level. */
export const POSTGRES_EVENTS = {
  debug: 'postgres.detail',
  warn: 'postgres.warning',
  error: 'postgres.failed',
} as const;

export type PostgresOptions = {
  dataDir: string;
  /** Called when the health has changed. */
  changed(health: PartHealth): void;
  log(level: keyof typeof POSTGRES_EVENTS, text: string): void;
  /** Identity to use instead of the one chosen automatically. */
  identity?: PostgresIdentity;
};

/**
 * The built-in PostgreSQL server on a Unix socket. The caller holds the data folder's lock. The server is restarted on
 * the same socket whenever it dies, and exits with this process.
 */
export class EmbeddedPostgres {
  readonly connection: OwnConnection;
  readonly #options: PostgresOptions;
  readonly #identity: PostgresIdentity;
  readonly #folders: PostgresFolders;
  readonly #binaries: PostgresBinaries;
  readonly #stopping = new AbortController();
  #server: ChildProcess | null = null;
  #lastLines: string[] = [];
  #running: Promise<void> = Promise.resolve();

  private constructor(
    options: PostgresOptions,
    identity: PostgresIdentity,
    folders: PostgresFolders,
    binaries: PostgresBinaries,
  ) {
    this.#options = options;
    this.#identity = identity;
    this.#folders = folders;
    this.#binaries = binaries;
    this.connection = connectionTo(folders);
  }

  /** Creates the cluster if it does not exist, and waits until the server responds. */
  static async start(options: PostgresOptions): Promise<EmbeddedPostgres> {
    const identity = options.identity ?? (await choosePostgresIdentity(placesIn(options.dataDir).cluster));
    const folders = await preparePlaces(options.dataDir, identity);
    const binaries = await preparePostgresBinaries(folders.home, identity);
    await ensureCluster(folders, binaries, identity);
    const postgres = new EmbeddedPostgres(options, identity, folders, binaries);
    await postgres.#open();
    return postgres;
  }

  /** Process id of the server, for monitoring, or null while it does not run. */
  get pid(): number | null {
    return this.#server?.pid ?? null;
  }

  /** Shuts the server down: clients are disconnected, committed data is kept. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#server?.kill('SIGINT');
    const harder = setTimeout(() => this.#server?.kill('SIGQUIT'), FAST_SHUTDOWN_MS);
    const hardest = setTimeout(() => this.#server?.kill('SIGKILL'), FAST_SHUTDOWN_MS + IMMEDIATE_SHUTDOWN_MS);
    await this.#running;
    clearTimeout(harder);
    clearTimeout(hardest);
    await removeSocketFolder(this.#folders);
  }

  async #open(): Promise<void> {
    const opened = Promise.withResolvers<void>();
    this.#running = this.#keepRunning(opened);
    try {
      await opened.promise;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #keepRunning(opened: PromiseWithResolvers<void>): Promise<void> {
    const backOff = new BackOff();
    let hasOpened = false;
    const open = () => {
      hasOpened = true;
      opened.resolve();
    };
    for (let life = 1; !this.#stopping.signal.aborted; life += 1) {
      const startedMs = performance.now();
      const how = await this.#serveOnce(open);
      const said = this.#lastLines.join(' | ');
      if (!hasOpened && (life === FIRST_START_LIVES || this.#stopping.signal.aborted)) {
        opened.reject(new Error(`PostgreSQL could not start. It exited with ${how}: ${said}`));
        return;
      }
      if (this.#stopping.signal.aborted) return;
      const waitMs = backOff.afterLifeOf(performance.now() - startedMs);
      this.#options.log('warn', `PostgreSQL exited with ${how}. Restarting it in ${waitMs} ms. Its output: ${said}`);
      await sleep(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Runs the server once, until it exits. Returns the signal or exit code. */
  async #serveOnce(opened: () => void): Promise<string> {
    const isOver = new AbortController();
    try {
      await clearLeftOvers(this.#folders);
      const server = this.#spawn();
      this.#server = server;
      const ended = once(server, 'exit');
      const said = new Promise((resolve) => server.once('close', resolve));
      // `stop` may have been called while there was no server to signal.
      if (this.#stopping.signal.aborted) server.kill('SIGINT');
      const watching = this.#reportReadiness(opened, isOver.signal);
      const [code, signal] = await ended.finally(() => isOver.abort());
      this.#options.changed({ state: 'failing', detail: `ended with ${signal ?? `code ${code}`}` });
      await watching;
      // The last output may arrive after the exit, and the server's children may keep the pipe open for longer.
      await Promise.race([said, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
      return signal ?? `code ${code}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.#server = null;
    }
  }

  #spawn(): ChildProcess {
    const options = { ...SERVER_OPTIONS, unix_socket_directories: this.#folders.socket, port: String(SOCKET_PORT) };
    const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const postgres = [join(this.#binaries.binFolder, 'postgres'), '-D', this.#folders.cluster, ...flags];
    const [program, ...args] = commandAs(this.#identity, postgres);
    // Detached, so that Ctrl-C in a terminal reaches only the supervisor, which closes the roles first.
    const server = spawn(program, args, {
      cwd: '/',
      env: this.#binaries.environment,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#lastLines = [];
    createInterface({ input: server.stderr }).on('line', (line) => this.#receive(line));
    return server;
  }

  #receive(line: string): void {
    this.#lastLines = [...this.#lastLines, line].slice(-KEPT_LINES);
    this.#options.log(levelOf(line), `PostgreSQL: ${line}`);
  }

  async #reportReadiness(opened: () => void, isOver: AbortSignal): Promise<void> {
    let said: string | null = null;
    while (!isOver.aborted) {
      const lacking = await describeUnreadiness(this.connection);
      if (lacking === null) break;
      if (lacking !== said) this.#options.changed({ state: 'starting', detail: lacking });
      said = lacking;
      await sleep(READY_CHECK_EVERY_MS, undefined, { signal: isOver }).catch(() => undefined);
    }
    if (isOver.aborted || this.#stopping.signal.aborted) return;
    this.#options.changed({ state: 'ok', detail: null });
    opened();
  }
}

/** Connection to the server of a data folder, for roles that are started without the supervisor. */
export function connectionTo(folders: PostgresFolders): OwnConnection {
  return { host: folders.socket, port: SOCKET_PORT, user: DATABASE_USER, database: DATABASE_NAME };
}

function levelOf(line: string): 'debug' | 'warn' | 'error' {
  if (line.startsWith('PANIC:')) return 'error';
  // Other messages are debug output: errors of statements are sent to the client, and FATAL ends only one connection,
  // as in readiness checks.
  return line.startsWith('WARNING:') ? 'warn' : 'debug';
}
