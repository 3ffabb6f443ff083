import { settingsOf } from '../../config/role-environment.ts';
import { type Role, roles } from '../../config/roles.ts';
import type { RoleSettings, Settings } from '../../config/settings.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { SECRET_KEY_BYTES } from '../../lib/secret-box.ts';
import { readVersion } from '../../lib/version.ts';
import {
  baseAddresses,
  ensureSecretKey,
  type FirstLibrary,
  forgetFirstKeys,
  readSecretKey,
  secretKeyPath,
  showFirstStart,
  showStart,
} from '../../service/first-start.ts';
import { type Fleet, type PartHealth, type SandboxState, sandboxProblem } from '../../service/health.ts';
import type { MetricsPort } from '../../service/metrics-port.ts';
import { findSandbox } from '../find-sandbox.ts';
import { EmbeddedPostgres, POSTGRES_EVENTS } from './postgres.ts';
import { type RoleMessage, RoleProcess } from './role-process.ts';

/**
 * Maximum time for the roles to close, in ms. Together with the shutdown of PostgreSQL, this is less than the promised
 * 10 s.
 */
const ROLE_GRACE_MS = 6000;
/** Time in ms for which the first start of a role is retried, because its port may become free soon. */
const FAILING_START_PATIENCE_MS = 5000;

/** State of a role's process, according to the last message that was sent to it. */
type Stage = 'away' | 'waiting' | 'preparing' | 'started';

/** Runs PostgreSQL and one process per role, restarts them if they die, and stops them together. */
export class Supervisor {
  readonly #settings: Settings;
  readonly #version = readVersion();
  readonly #roles = new Map<Role, RoleProcess>();
  readonly #stages = new Map<Role, Stage>();
  readonly #listeners: Record<string, number> = {};
  readonly #allReady = Promise.withResolvers<void>();
  #postgres: EmbeddedPostgres | null = null;
  #database: PartHealth = { state: 'starting', detail: null };
  /** State of the sandbox. It is assumed to work until it is checked. */
  #sandbox: SandboxState = 'bubblewrap';
  #roleSettings: RoleSettings | null = null;
  #library: FirstLibrary | null = null;
  #patience: NodeJS.Timeout | null = null;
  #metrics: MetricsPort | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
    // The promise is awaited only after everything was started, so an earlier failure must not count as unhandled.
    this.#allReady.promise.catch(() => undefined);
  }

  /** Starts everything. Resolves when all roles are ready, rejects if a role cannot start. */
  async start(): Promise<void> {
    const { dataDir, databaseUrl, ...settings } = this.#settings;
    // Before anything else is created, because a wrong key file stops the start.
    const secretKey = await ensureSecretKey(dataDir, settings.secretKey);
    // The processes load their code while the database starts.
    for (const role of roles) this.#roles.set(role, this.#openRole(role));
    await this.#openMetrics();
    const [sandbox, database] = await Promise.all([
      findSandbox(this.#settings),
      databaseUrl === null ? this.#startPostgres() : { connectionString: databaseUrl },
    ]);
    this.#sandbox = sandbox;
    const weakness = sandboxProblem(sandbox);
    if (weakness !== null) logEvent('sandbox.weak', { sandbox, reason: weakness });
    const secretKeyFile = settings.secretKey === null ? secretKeyPath(dataDir) : null;
    this.#roleSettings = { ...settings, dataDir, secretKey, secretKeyFile, database };
    // For an external database server, the roles report the state.
    if (databaseUrl !== null) this.#database = { state: 'ok', detail: null };
    this.#advanceAll();
    await this.#allReady.promise;
    await this.#announce();
  }

  /** Stops the roles, then the database. */
  async stop(): Promise<void> {
    if (this.#patience !== null) clearTimeout(this.#patience);
    await Promise.all([...this.#roles.values()].map(async (role) => await role.stop(ROLE_GRACE_MS)));
    await this.#metrics?.close();
    await this.#postgres?.stop();
  }

  /** Starts the metrics page. The process of the supervisor loads the code of the metrics only if they are served. */
  async #openMetrics(): Promise<void> {
    const { metricsPort: port } = this.#settings;
    if (port === null) return;
    const { openFleetMetrics } = await import('./fleet-metrics.ts');
    this.#metrics = await openFleetMetrics({ ...this.#settings, port }, this.#roles).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Refused('invalid', `MILLRACE_METRICS_PORT: expected a free port, got ${port} (${reason}).`, { cause });
    });
    this.#listeners.metrics = this.#metrics.port;
  }

  async #startPostgres() {
    this.#postgres = await EmbeddedPostgres.start({
      dataDir: this.#settings.dataDir,
      changed: (health) => {
        this.#database = health;
        this.#changed();
      },
      log: (level, reason) => logEvent(POSTGRES_EVENTS[level], { reason }),
    });
    return this.#postgres.connection;
  }

  #openRole(role: Role): RoleProcess {
    this.#stages.set(role, 'away');
    const { storage, storageFrom } = this.#settings;
    return new RoleProcess(role, storageFrom === null ? [storage] : [storage, storageFrom], {
      online: () => this.#welcome(role),
      change: (change) => this.#receive(role, change),
      changed: () => this.#changed(),
      refused: () => this.#giveUp(),
    });
  }

  #welcome(role: Role): void {
    // Only these settings are sent at first, because the others contain secrets that a role may not need.
    const { host, tls, logLevels, logFormat, accessLog } = this.#settings;
    const log = { logLevels, logFormat, accessLog };
    this.#stages.set(role, 'waiting');
    this.#roles.get(role)?.send({ type: 'wait', role, host, tls, port: this.#ports().port, log });
    this.#sendFleet();
    void this.#readKeyAgain().finally(() => this.#advance(role));
  }

  /** A role that is started again gets the key of its file, because a rotation may have replaced it. */
  async #readKeyAgain(): Promise<void> {
    const settings = this.#roleSettings;
    if (settings === null || settings.secretKeyFile === null) return;
    try {
      const secretKey = await readSecretKey(settings.dataDir);
      // A missing or truncated file must not replace the key in use, and never leads to a new key here.
      if (secretKey?.length === SECRET_KEY_BYTES) this.#roleSettings = { ...settings, secretKey };
    } catch (err) {
      logEvent('secret-key.unread', { err });
    }
  }

  #receive(role: Role, change: RoleMessage): void {
    switch (change.type) {
      case 'waiting':
        this.#listeners[role] = change.port;
        break;
      case 'prepared':
        this.#library = change.library;
        this.#stages.set(role, 'waiting');
        this.#advanceAll();
        break;
      case 'ready':
        Object.assign(this.#listeners, change.listeners);
        break;
    }
    this.#sendFleet();
  }

  #advanceAll(): void {
    for (const role of this.#roles.keys()) this.#advance(role);
  }

  /** Starts a waiting role once the library exists. Until then, tells `api` to prepare the database for all roles. */
  #advance(role: Role): void {
    if (this.#roleSettings === null || this.#stages.get(role) !== 'waiting') return;
    const settings = { ...this.#roleSettings, ...this.#ports() };
    if (this.#library !== null) {
      this.#stages.set(role, 'started');
      this.#roles.get(role)?.send({ type: 'start', settings: settingsOf(role, settings) });
    } else if (role === 'api') {
      this.#stages.set(role, 'preparing');
      this.#roles.get(role)?.send({ type: 'prepare', settings });
    }
  }

  /** Returns the ports of the first start, so that a restarted role listens on the same port. */
  #ports(): Pick<Settings, 'port' | 'edgePort' | 'rtmpPort' | 'rtmpsPort' | 'srtPort' | 'whipPort'> {
    const { port, edgePort, rtmpPort, rtmpsPort, srtPort, whipPort } = this.#settings;
    const { api = port, edge = edgePort, rtmp = rtmpPort, rtmps = rtmpsPort } = this.#listeners;
    const { srt = srtPort, whip = whipPort } = this.#listeners;
    return { port: api, edgePort: edge, rtmpPort: rtmp, rtmpsPort: rtmps, srtPort: srt, whipPort: whip };
  }

  #changed(): void {
    this.#sendFleet();
    const healths = [...this.#roles.values()].map((role) => role.health);
    if (healths.length === roles.length && healths.every((health) => health.state === 'ok')) {
      this.#allReady.resolve();
    }
    const isFailing = healths.some((health) => health.state === 'failing');
    if (!isFailing && this.#patience !== null) {
      clearTimeout(this.#patience);
      this.#patience = null;
    } else if (isFailing) {
      // This applies only until the first start is complete, because nothing awaits the promise afterwards.
      this.#patience ??= setTimeout(() => this.#giveUp(), FAILING_START_PATIENCE_MS);
    }
  }

  #giveUp(): void {
    const parts = [...this.#roles].filter(([, role]) => role.health.state === 'failing');
    const reasons = parts.map(([name, role]) => `${name}: ${role.health.detail}`);
    this.#allReady.reject(new Refused('unavailable', `The service could not start. ${reasons.join('; ')}`));
  }

  #sendFleet(): void {
    this.#roles.get('api')?.send({ type: 'fleet', fleet: this.#fleet() });
  }

  #fleet(): Fleet {
    return {
      version: this.#version,
      database: this.#database,
      roles: Object.fromEntries([...this.#roles].map(([name, role]) => [name, role.health])),
      listeners: this.#listeners,
      sandbox: this.#sandbox,
    };
  }

  async #announce(): Promise<void> {
    const addresses = baseAddresses(this.#settings, this.#listeners);
    logEvent('service.ready', { ...addresses, listeners: this.#listeners, sandbox: this.#sandbox });
    if (this.#library?.mustShow === true) {
      await showFirstStart(this.#library, addresses, { dataDir: this.#settings.dataDir, out: process.stdout });
    } else {
      showStart(addresses, process.stdout);
    }
    await forgetFirstKeys(this.#settings.dataDir);
  }
}
