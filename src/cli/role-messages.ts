import type { LogSettings } from '../config/logs.ts';
import type { Role } from '../config/roles.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { MetricFamilies } from '../lib/metrics/metrics.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import type { FirstLibrary } from '../service/first-start.ts';
import type { Fleet } from '../service/health.ts';

/** Messages from the supervisor to a role's process, in this order. `fleet` and `metrics` may be sent at any time. */
export type ToRole =
  /**
   * Sent first: the role to run. Until it has started, the process may respond on the main port that the service is
   * starting.
   */
  | { type: 'wait'; role: Role; host: string; port: number; tls: TlsPaths | null; log: LogSettings }
  /** The database is ready: migrate it to this version, and find or create library 1. */
  | { type: 'prepare'; settings: RoleSettings }
  | { type: 'start'; settings: RoleSettings }
  | { type: 'fleet'; fleet: Fleet }
  /** Requests the metrics of the process. */
  | { type: 'metrics' }
  | { type: 'stop' };

/** Messages from a role's process to the supervisor. */
export type FromRole =
  /** The process is ready to receive messages. */
  | { type: 'online' }
  /** The port on which it responds that the service is starting. */
  | { type: 'waiting'; port: number }
  | { type: 'prepared'; library: FirstLibrary }
  | { type: 'ready'; listeners: Record<string, number> }
  /** Metrics of the process. `families` is null before the role has started. */
  | { type: 'metrics'; families: MetricFamilies | null }
  | { type: 'health'; ok: boolean; detail: string | null }
  /** The process is about to exit for this reason. `isFinal`: another attempt would fail for the same reason. */
  | { type: 'failed'; message: string; isFinal: boolean };
