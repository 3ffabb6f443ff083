import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentOf } from '../../config/role-environment.ts';
import type { Role } from '../../config/roles.ts';
import type { StorageSettings } from '../../config/storage.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { MetricFamilies } from '../../lib/metrics/metrics.ts';
import type { PartHealth } from '../../service/health.ts';
import type { FromRole, ToRole } from '../role-messages.ts';
import { BackOff } from './back-off.ts';

const ROLE_SCRIPT = fileURLToPath(new URL('../role.ts', import.meta.url));

/**
 * Flags that limit the young generation of V8 to 4 MiB instead of 16 MiB. This saves 20 MiB per process, because most
 * objects are short-lived.
 */
const MEMORY_FLAGS = ['--max-semi-space-size=4'];

/** Message with which a role's process reports its progress at startup. */
export type RoleMessage = Extract<FromRole, { type: 'waiting' | 'prepared' | 'ready' }>;

export type RoleEvents = {
  /** Called when the process is ready to receive messages, for the first time or after a restart. */
  online(): void;
  change(change: RoleMessage): void;
  /** Called when the health of the role has changed. */
  changed(): void;
  /** Called when the role has failed, and every other attempt would fail for the same reason. */
  refused(): void;
};

/** Process of one role. It is restarted with increasing delays when it dies, until `stop` is called. */
export class RoleProcess {
  readonly role: Role;
  readonly #stores: readonly StorageSettings[];
  readonly #events: RoleEvents;
  readonly #backOff = new BackOff();
  #child: ChildProcess | null = null;
  #restart: NodeJS.Timeout | null = null;
  #isStopping = false;
  #health: PartHealth = { state: 'starting', detail: null };
  readonly #awaitingMetrics = new Set<(families: MetricFamilies | null) => void>();

  /** `stores`: the stores that contain the objects. */
  constructor(role: Role, stores: readonly StorageSettings[], events: RoleEvents) {
    this.role = role;
    this.#stores = stores;
    this.#events = events;
    this.#start();
  }

  get health(): PartHealth {
    return this.#health;
  }

  send(message: ToRole): void {
    // A message to a process that just died is lost. The replacement process gets the message again.
    if (this.#child?.connected === true) this.#child.send(message, () => undefined);
  }

  /** Returns the metrics of the process, or null if it does not send them within `limitMs`. */
  async collectMetrics(limitMs: number): Promise<MetricFamilies | null> {
    if (this.#child?.connected !== true) return null;
    const { promise, resolve } = Promise.withResolvers<MetricFamilies | null>();
    this.#awaitingMetrics.add(resolve);
    const timer = setTimeout(() => resolve(null), limitMs);
    this.send({ type: 'metrics' });
    const families = await promise;
    clearTimeout(timer);
    this.#awaitingMetrics.delete(resolve);
    return families;
  }

  /** Signals the process to close and waits until it exits. Kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    this.send({ type: 'stop' });
    const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await gone;
    clearTimeout(kill);
  }

  #start(): void {
    this.#restart = null;
    const startedMs = performance.now();
    const child = fork(ROLE_SCRIPT, [this.role], {
      // Node prints a warning when it strips types from the player's browser code, although it does not for other code.
      execArgv: [...process.execArgv, ...MEMORY_FLAGS, '--disable-warning=ExperimentalWarning'],
      env: environmentOf(this.role, this.#stores),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    child.on('message', (message: FromRole) => this.#receive(message));
    child.on('error', (error) => logEvent('role.unreachable', { name: this.role, err: error }));
    child.once('close', (code, signal) => this.#ended(performance.now() - startedMs, signal ?? `code ${code}`));
  }

  #receive(message: FromRole): void {
    switch (message.type) {
      case 'online':
        this.#events.online();
        break;
      case 'health':
        this.#become({
          state: message.ok ? 'ok' : 'failing',
          detail: message.ok ? null : (message.detail ?? 'the role reports a problem'),
        });
        break;
      case 'metrics':
        for (const resolve of this.#awaitingMetrics) resolve(message.families);
        break;
      case 'failed':
        this.#become({ state: 'failing', detail: message.message });
        if (message.isFinal) this.#events.refused();
        break;
      case 'waiting':
      case 'prepared':
      case 'ready':
        this.#events.change(message);
        break;
    }
  }

  #ended(livedMs: number, how: string): void {
    this.#child = null;
    if (this.#isStopping) return;
    // Only a drained process ends with code 0. It is not restarted until the service is started again.
    if (how === 'code 0') {
      this.#become({ state: 'failing', detail: 'drained, it starts again with the service' });
      return;
    }
    const waitMs = this.#backOff.afterLifeOf(livedMs);
    logEvent('role.exited', { name: this.role, exit: how, waitMs, durationMs: livedMs });
    const said = this.#health.state === 'failing' ? this.#health.detail : null;
    this.#become({ state: 'failing', detail: said ?? `exited with ${how}, restarting` });
    this.#restart = setTimeout(() => this.#start(), waitMs);
  }

  #become(health: PartHealth): void {
    this.#health = health;
    this.#events.changed();
  }
}
