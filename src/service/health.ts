import type { Role } from '../config/roles.ts';

export type PartState = 'starting' | 'ok' | 'failing';

/** One part of the running service; `detail` says what a failing one lacks. */
export type PartHealth = { state: PartState; detail: string | null };

/** Which sandbox encoders run in: bubblewrap, or resource limits alone; `none`: nothing is encoded. */
export type SandboxLevel = 'bubblewrap' | 'prlimit' | 'none';

const INSTALL = 'Install bubblewrap and allow user namespaces (docs/hardening.md), then start again.';

/** Problem of a machine whose encoders do not run in bubblewrap, for its owner; null where they do. */
export function sandboxProblem(level: SandboxLevel): string | null {
  switch (level) {
    case 'bubblewrap':
      return null;
    case 'prlimit':
      return (
        'Expected bubblewrap to work, but encoders run with resource limits alone: a fault in a decoder reaches the ' +
        `files, the network and the keys of this user. ${INSTALL}`
      );
    case 'none':
      return `Expected a sandbox for encoders, but none works: nothing is encoded. ${INSTALL}`;
  }
}

/** The state of all parts in the supervisor. Listeners are the real ports by name. */
export type Fleet = {
  version: string;
  database: PartHealth;
  roles: Partial<Record<Role, PartHealth>>;
  listeners: Record<string, number>;
  sandbox: SandboxLevel;
};

/**
 * The object store: what it is and, where it has a bound, how much of it is left; `movingFrom` while there are objects
 * that still have to come from another.
 */
export type StorageHealth = {
  kind: 'file' | 's3';
  freeBytes?: number;
  totalBytes?: number;
  movingFrom?: 'file' | 's3';
  /** Why it could not be written, read and deleted from just now; absent when it could. */
  fault?: string;
};

/** How many bytes must stay free on a medium of this many bytes: below, uploads are refused. */
export type DiskFloor = (totalBytes: number) => number;

/** A role at work. `health` is asked every second or so; `close` drains and ends all it holds. */
export type RunningRole = {
  listeners: Record<string, number>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  /** How the store is, and why nothing may be deleted there (null: all may be). */
  storage(): StorageHealth;
  heldDeletions(): string | null;
  close(): Promise<void>;
};

/** The body of `GET /healthz`. */
export type HealthBody = {
  status: PartState;
  version: string;
  listeners: Record<string, number>;
  roles: Partial<Record<Role, PartState>>;
  /** Absent until the object store was asked. */
  storage?: StorageHealth;
  sandbox: SandboxLevel;
  /** What is not well, for a person; absent when all is. */
  problems?: string[];
};

/**
 * The answer of `GET /healthz`: 200 when every part is ready, 503 while one starts or fails. A store that is so
 * full that uploads are refused counts as failing: its owner is notified of it before encoders and viewers do.
 */
export function describeHealth(
  fleet: Fleet,
  storage: StorageHealth | null,
  diskFloorBytes: DiskFloor,
  /** Why nothing may be deleted in the store. It is reported, but the service goes on, so it counts as no failure. */
  heldDeletions: string | null = null,
): { status: 200 | 503; body: HealthBody } {
  const shortage = storage === null ? null : (storage.fault ?? describeShortage(storage, diskFloorBytes));
  const parts = Object.entries({
    database: fleet.database,
    ...fleet.roles,
    ...(shortage === null ? {} : { storage: { state: 'failing', detail: shortage } satisfies PartHealth }),
  });
  const states = parts.map(([, part]) => part.state);
  const status = states.includes('failing') ? 'failing' : states.includes('starting') ? 'starting' : 'ok';
  const problems = parts.flatMap(([name, part]) =>
    part.state === 'ok' ? [] : [`${name}: ${part.detail ?? part.state}`],
  );
  if (heldDeletions !== null) problems.push(`store: ${heldDeletions}`);
  const weakness = sandboxProblem(fleet.sandbox);
  if (weakness !== null) problems.push(`sandbox: ${weakness}`);
  const roles = Object.fromEntries(Object.entries(fleet.roles).map(([name, part]) => [name, part.state]));
  return {
    status: status === 'ok' ? 200 : 503,
    body: {
      status,
      version: fleet.version,
      listeners: fleet.listeners,
      roles,
      ...(storage === null ? {} : { storage }),
      sandbox: fleet.sandbox,
      ...(problems.length > 0 ? { problems } : {}),
    },
  };
}

function describeShortage({ freeBytes, totalBytes }: StorageHealth, diskFloorBytes: DiskFloor): string | null {
  if (freeBytes === undefined || totalBytes === undefined) return null;
  const floorBytes = diskFloorBytes(totalBytes);
  if (freeBytes >= floorBytes) return null;
  return `nearly full: ${freeBytes} of ${totalBytes} bytes are free, uploads are refused below ${floorBytes}`;
}
