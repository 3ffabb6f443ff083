import { dirname } from 'node:path';

/**
 * How far a child is fenced in. `bubblewrap`: own namespaces, a seccomp filter, none of this machine's files.
 * `prlimit`: only resource limits, no new privileges and no capabilities.
 */
export type SandboxLevel = 'bubblewrap' | 'prlimit';

/** Where a sandboxed program finds its one input file, whatever the file's path outside is. */
export const SANDBOX_SOURCE = '/in/source';

/** Where a sandboxed program may write, when it was given an output folder. */
export const SANDBOX_OUTPUT = '/out';

/** What one child may use up at most. Bytes, seconds of processor time, and open files. */
export type ResourceLimits = {
  cpuSec: number;
  addressSpaceBytes: number;
  fileSizeBytes: number;
  openFiles: number;
};

/** A program to fence in. Its argv names the input `/in/source` and the output folder `/out`. */
export type SandboxRequest = {
  /** A name found in /usr/bin, or an absolute path; the folder of a path outside /usr is made visible. */
  program: string;
  argv: readonly string[];
  sourcePath: string | null;
  outputDir: string | null;
  limits: ResourceLimits;
  /** 0 (normal) to 19 (gives way to everything). */
  niceness: number;
};

/**
 * All that a sandboxed program finds in its environment. Large pages for what glibc allocates spare encoders, which
 * walk through whole frames, the misses of the processor's page tables.
 */
export const SANDBOX_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};

/**
 * How a child is started. `filterFd`: descriptor on which bubblewrap reads the seccomp filter; null for none.
 * `oomScore`: Linux ends the process with the highest score first when memory is short (proc(5), `oom_score_adj`).
 */
export type SandboxStart = { level: SandboxLevel; filterFd: number | null; oomScore: number };

/**
 * Builds the whole command line that runs a request at a level: `nice`, `prlimit`, `choom`, then `bwrap` or
 * `setpriv`. The program dies with the process that started it (PR_SET_PDEATHSIG), also when that one is killed with
 * SIGKILL; children of the program die along only under bubblewrap.
 */
export function sandboxArgv(request: SandboxRequest, { level, filterFd, oomScore }: SandboxStart): string[] {
  const limits = ['nice', '-n', String(request.niceness), 'prlimit', ...limitFlags(request.limits)];
  // Set before the program starts, so that what it starts inherits it.
  limits.push('choom', '-n', String(oomScore), '--');
  switch (level) {
    case 'bubblewrap': {
      const filter = filterFd === null ? [] : ['--seccomp', String(filterFd)];
      return [...limits, 'bwrap', ...bubblewrapFlags(request), ...filter, '--', request.program, ...request.argv];
    }
    case 'prlimit':
      return [...limits, 'setpriv', ...SETPRIV_FLAGS, '--', request.program, ...request.argv.map(toRealPath(request))];
  }
}

/** What a whole encode of `durationSec` seconds may use: an hour of processor time a minute is past all sense. */
export function encodeLimits(durationSec: number): ResourceLimits {
  return {
    cpuSec: Math.ceil(60 + 60 * durationSec),
    addressSpaceBytes: 6 * 1024 ** 3,
    fileSizeBytes: 64 * 1024 ** 3,
    openFiles: 256,
  };
}

// No `--reset-env` here: the caller starts the child with an environment of its own making.
const SETPRIV_FLAGS = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--pdeathsig', 'KILL'];

function limitFlags(limits: ResourceLimits): string[] {
  return [
    // The soft limit is a signal that distinguishes itself apart from the memory killer's; the hard one cannot be
    // caught.
    `--cpu=${limits.cpuSec}:${limits.cpuSec + 5}`,
    `--as=${limits.addressSpaceBytes}`,
    `--fsize=${limits.fileSizeBytes}`,
    `--nofile=${limits.openFiles}`,
    '--core=0',
  ];
}

function bubblewrapFlags(request: SandboxRequest): string[] {
  const flags = ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin'];
  flags.push('--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64');
  // Debian's libblas is reached through /etc/alternatives; without it ffmpeg does not start.
  flags.push('--ro-bind-try', '/etc/alternatives', '/etc/alternatives');
  flags.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp');
  // `--unshare-all` only tries for a user namespace, which `--disable-userns` needs.
  flags.push('--unshare-all', '--unshare-user', '--disable-userns');
  flags.push('--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL');
  // No `--new-session`: the child has one already, and one process group reaches all that it starts.
  flags.push('--die-with-parent', '--clearenv');
  for (const [name, value] of Object.entries(SANDBOX_ENV)) flags.push('--setenv', name, value);
  const programDir = dirname(request.program);
  if (programDir !== '.' && !programDir.startsWith('/usr/')) flags.push('--ro-bind', programDir, programDir);
  if (request.sourcePath !== null) flags.push('--ro-bind', request.sourcePath, SANDBOX_SOURCE);
  if (request.outputDir !== null) flags.push('--bind', request.outputDir, SANDBOX_OUTPUT);
  return flags;
}

function toRealPath(request: SandboxRequest): (argument: string) => string {
  return (argument) => {
    const { sourcePath, outputDir } = request;
    if (sourcePath !== null && argument === SANDBOX_SOURCE) return sourcePath;
    if (sourcePath !== null && argument === `file:${SANDBOX_SOURCE}`) return `file:${sourcePath}`;
    if (outputDir === null) return argument;
    return argument.replace(
      new RegExp(`^(file:)?${SANDBOX_OUTPUT}(?=/|$)`),
      (_, scheme = '') => `${scheme}${outputDir}`,
    );
  };
}
