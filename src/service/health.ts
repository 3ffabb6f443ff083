import type { Role } from '../config/roles.ts';

export type PartState = 'starting' | 'ok' | 'failing';

/** One part of the running service. `detail` says what a failing one lacks. */
export type PartHealth = { state: PartState; detail: string | null };

/** Sandbox of the encoders: bubblewrap, or only resource limits; `none`: nothing is encoded. */
export type SandboxLevel = 'bubblewrap' | 'prlimit' | 'none';

const INSTALL = 'Install bubblewrap and allow user namespaces (docs/hardening.md), then start again.';

/** Returns a problem, for the owner, if this machine's encoders do not run in bubblewrap, else null. */
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
 * The object store: its kind and, if it is bounded, its free space. `movingFrom` while objects still have to move from
 * another one.
 */
export type StorageHealth = {
  kind: 'file' | 's3';
  freeBytes?: number;
  totalBytes?: number;
  movingFrom?: 'file' | 's3';
  /** Why the last write, read and delete failed; absent if it succeeded. */
  fault?: string;
};

/** Returns the bytes that must stay free on a medium of this size. Below it, uploads are refused. */
export type DiskFloor = (totalBytes: number) => number;

/** A running role. `health` is polled about every second. `close` drains and releases all its resources. */
export type RunningRole = {
  listeners: Record<string, number>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  /** State of the store, and why nothing may be deleted there (null: deletions are allowed). */
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
  /** Absent until the object store was checked. */
  storage?: StorageHealth;
  sandbox: SandboxLevel;
  /** Problems in readable form; absent if there are none. */
  problems?: string[];
};

/**
 * The response of `GET /healthz`: 200 if every part is ready, 503 while one starts or fails. A store that is so full
 * that uploads are refused counts as failing, so that its owner is notified before encoders and viewers notice.
 */
export function describeHealth(
  fleet: Fleet,
  storage: StorageHealth | null,
  diskFloorBytes: DiskFloor,
  /**
   * Why nothing may be deleted in the store. It is reported, but does not count as a failure, because the service
   * continues.
   */
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
