import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { hasCode } from '../../lib/has-code.ts';

const NOBODY_ID = 65_534;

/**
 * User that runs PostgreSQL, which refuses root. `self`: the user of this process. `namespace`: a user namespace in
 * which the files of root appear to belong to an unprivileged user. `user`: another user.
 */
export type PostgresIdentity = { kind: 'self' } | { kind: 'namespace' } | { kind: 'user'; uid: number; gid: number };

/** Returns the identity for a cluster: its current owner, or else an identity that this process can use. */
export async function choosePostgresIdentity(clusterFolder: string): Promise<PostgresIdentity> {
  if (process.getuid?.() !== 0) return { kind: 'self' };
  const owner = await ownerOf(clusterFolder);
  if (owner !== null && owner.uid !== 0) return { kind: 'user', ...owner };
  return canUseNamespace() ? { kind: 'namespace' } : { kind: 'user', uid: NOBODY_ID, gid: NOBODY_ID };
}

/**
 * Returns the command line that runs a program as `identity`. None of its wrappers forks, so the pid of the child is
 * the pid of the program. When the parent dies, the program gets SIGINT, which means a fast shutdown for PostgreSQL and
 * terminates initdb.
 */
export function commandAs(identity: PostgresIdentity, command: readonly string[]): [string, ...string[]] {
  const tied = ['setpriv', '--pdeathsig', 'INT'];
  switch (identity.kind) {
    case 'self':
      return ['setpriv', '--pdeathsig', 'INT', '--', ...command];
    case 'namespace':
      return [
        'unshare',
        '--user',
        `--map-user=${NOBODY_ID}`,
        `--map-group=${NOBODY_ID}`,
        '--',
        ...tied,
        '--',
        ...command,
      ];
    case 'user': {
      // The death signal is set last, because a change of the user resets it.
      const ids = ['--reuid', String(identity.uid), '--regid', String(identity.gid), '--clear-groups'];
      return ['setpriv', ...ids, '--', ...tied, '--', ...command];
    }
  }
}

function canUseNamespace(): boolean {
  const [program, ...args] = commandAs({ kind: 'namespace' }, ['true']);
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
