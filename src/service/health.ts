import type { Role } from '../config/roles.ts';
import type { Duty } from '../lib/duty.ts';

export type PartState = 'starting' | 'ok' | 'failing';

/** Health of one part of the running service. `detail` is the reason of a failure. */
export type PartHealth = { state: PartState; detail: string | null };

/**
 * Sandbox of the encoders. `none`: only resource limits, as the administrator chose. `unavailable`: no sandbox works,
 * and nothing is encoded.
 */
export type SandboxState = 'bubblewrap' | 'landlock' | 'none' | 'unavailable';

/** Returns a problem description for the administrator if the encoders do not run in a sandbox, else null. */
export function sandboxProblem(state: SandboxState): string | null {
  switch (state) {
    case 'bubblewrap':
    case 'landlock':
      return null;
    case 'none':
      return (
        'Expected a sandbox for encoders, but MILLRACE_SANDBOX is none: a fault in a decoder reaches the files, the ' +
        'network and the keys of this user. Set MILLRACE_SANDBOX=auto, then start again.'
      );
    case 'unavailable':
      return (
        'Expected a sandbox for encoders, but none works: nothing is encoded. Allow user namespaces for bubblewrap, ' +
        'or use Linux 5.13 or newer with Landlock (docs/hardening.md), then start again.'
      );
  }
}

/** State of all parts in the supervisor. Listeners are the actual ports by name. */
export type Fleet = {
  version: string;
  database: PartHealth;
  roles: Partial<Record<Role, PartHealth>>;
  listeners: Record<string, number>;
  sandbox: SandboxState;
};

/**
 * Health of the object store: its kind and, if it is bounded, its free space. `movingFrom` is present while objects
 * still have to move from another store.
 */
export type StorageHealth = {
  kind: 'file' | 's3';
  freeBytes?: number;
  totalBytes?: number;
  movingFrom?: 'file' | 's3';
  /** Reason for the failure of the last write, read and delete test. Absent if it succeeded. */
  fault?: string;
};

/** Returns the minimum of free bytes on a disk of this size. Below it, uploads are refused. */
export type DiskFloor = (totalBytes: number) => number;

/**
 * Sentences that `/healthz` reports but that do not count as a failure, because the service continues: why nothing may be
 * deleted in the store, and a rotation of the secret key that is not finished.
 */
export type HealthNotes = { store: string | null; secrets: string | null };

/** A running role. `health` is polled about every second. `close` drains the role and releases all its resources. */
export type RunningRole = {
  listeners: Record<string, number>;
  health(): Promise<{ ok: boolean; detail?: string }>;
  /** State of the store. */
  storage(): StorageHealth;
  notes(): HealthNotes;
  /** Whether the role takes new work. */
  duty: Duty;
  close(): Promise<void>;
};

/** Body of `GET /healthz`. */
export type HealthBody = {
  status: PartState;
  version: string;
  listeners: Record<string, number>;
  roles: Partial<Record<Role, PartState>>;
  /** Absent until the object store has been checked. */
  storage?: StorageHealth;
  sandbox: SandboxState;
  /** Readable problems. Absent if there are none. */
  problems?: string[];
};

/**
 * Returns the response to `GET /healthz`: 200 if every part is ready, 503 while one starts or fails. A store that is so
 * full that uploads are refused counts as failing, so that the administrator is alerted before encoders and viewers are
 * affected.
 */
export function describeHealth(
  fleet: Fleet,
  storage: StorageHealth | null,
  diskFloorBytes: DiskFloor,
  notes: HealthNotes = { store: null, secrets: null },
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
  for (const [name, note] of Object.entries(notes)) if (note !== null) problems.push(`${name}: ${note}`);
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
