import type { Role } from '../config/roles.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { FirstKeys, FirstLibrary } from '../service/first-start.ts';
import type { Fleet } from '../service/health.ts';

/** From the supervisor to a role's process, in this order; `fleet` at any time. */
export type ToRole =
  /** Sent at once: what to be. The main port may answer that the service is starting. */
  | { type: 'wait'; role: Role; host: string; port: number }
  /** The database answers: bring it to this version and find or make library 1. */
  | { type: 'prepare'; settings: RoleSettings; keys: FirstKeys }
  | { type: 'start'; settings: RoleSettings }
  | { type: 'fleet'; fleet: Fleet }
  | { type: 'stop' };

/** From a role's process to the supervisor. */
export type FromRole =
  /** It listens for messages. */
  | { type: 'online' }
  /** The port on which it answers that the service is starting. */
  | { type: 'waiting'; port: number }
  | { type: 'prepared'; library: FirstLibrary }
  | { type: 'ready'; listeners: Record<string, number> }
  | { type: 'health'; ok: boolean; detail: string | null }
  /** Why it is about to exit. */
  | { type: 'failed'; message: string };
