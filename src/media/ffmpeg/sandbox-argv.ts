import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Isolation of a child. `bubblewrap`: separate namespaces, a seccomp filter and no access to this machine's files.
 * `landlock`: access to the same files, enforced by Landlock rules, and a stricter seccomp filter. `none`: only
 * resource limits, no new privileges and no capabilities.
 */
export type SandboxLevel = 'bubblewrap' | 'landlock' | 'none';

/** Path of the input file inside the sandbox. */
export const SANDBOX_SOURCE = '/in/source';

/** Path of the output folder inside the sandbox, if there is one. */
export const SANDBOX_OUTPUT = '/out';

/** Program that applies the rules and then becomes the sandboxed program. Perl is part of every Debian. */
const LANDLOCK_LAUNCHER = fileURLToPath(new URL('landlock.pl', import.meta.url));

/** Maximum resources of one child: bytes, seconds of processor time, and open files. */
export type ResourceLimits = {
  cpuSec: number;
  addressSpaceBytes: number;
  fileSizeBytes: number;
  openFiles: number;
};

/** A program to run in the sandbox. Its `argv` uses `/in/source` for the input and `/out` for the output folder. */
export type SandboxRequest = {
  /** A name in /usr/bin, or an absolute path. If the path is outside /usr, its folder is visible in the sandbox. */
  program: string;
  argv: readonly string[];
  sourcePath: string | null;
  outputDir: string | null;
  limits: ResourceLimits;
  /** 0 (normal) to 19 (lowest priority). */
  niceness: number;
};

/**
 * Complete environment of a sandboxed program. Huge pages for glibc's allocations save TLB misses in encoders, which
 * scan whole frames.
 */
export const SANDBOX_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};

/**
 * Start parameters of a child. `filterFd` is the descriptor from which the sandbox reads the seccomp filter, or null
 * for none. `oomScore`: when memory is short, Linux kills the process with the highest score first (proc(5),
 * `oom_score_adj`).
 */
export type SandboxStart = { level: SandboxLevel; filterFd: number | null; oomScore: number };

/**
 * Builds the command line that runs a request at a level: `nice`, `prlimit`, `choom`, then `bwrap`, `landlock.pl` or
 * `setpriv`. The program dies with the process that started it (PR_SET_PDEATHSIG), even after SIGKILL. The program's
 * own children die with it only under bubblewrap.
 */
export function sandboxArgv(request: SandboxRequest, { level, filterFd, oomScore }: SandboxStart): string[] {
  const limits = ['nice', '-n', String(request.niceness), 'prlimit', ...limitFlags(request.limits)];
  // Set the score before the program starts, so that its children inherit it.
  limits.push('choom', '-n', String(oomScore), '--');
  switch (level) {
    case 'bubblewrap': {
      const filter = filterFd === null ? [] : ['--seccomp', String(filterFd)];
      return [...limits, 'bwrap', ...bubblewrapFlags(request), ...filter, '--', request.program, ...request.argv];
    }
    case 'landlock':
      return [...limits, ...landlockArgv(request, filterFd), request.program, ...request.argv.map(toRealPath(request))];
    case 'none':
      return [...limits, 'setpriv', ...SETPRIV_FLAGS, '--', request.program, ...request.argv.map(toRealPath(request))];
  }
}

/**
 * Returns the limits of an encode of `durationSec` seconds. An hour of processor time per minute of media is more than
 * any sane encode needs.
 */
export function encodeLimits(durationSec: number): ResourceLimits {
  return {
    cpuSec: Math.ceil(60 + 60 * durationSec),
    addressSpaceBytes: 6 * 1024 ** 3,
    fileSizeBytes: 64 * 1024 ** 3,
    openFiles: 256,
  };
}

// Do not use `--reset-env`: the caller sets the environment of the child.
const SETPRIV_FLAGS = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--pdeathsig', 'KILL'];

function limitFlags(limits: ResourceLimits): string[] {
  return [
    // The soft limit sends a signal that differs from the OOM killer's. The hard limit cannot be caught.
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
  // Debian links libblas through /etc/alternatives. Without it, ffmpeg does not start.
  flags.push('--ro-bind-try', '/etc/alternatives', '/etc/alternatives');
  flags.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp');
  // `--unshare-all` treats the user namespace as optional, but `--disable-userns` requires it.
  flags.push('--unshare-all', '--unshare-user', '--disable-userns');
  flags.push('--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL');
  // Do not use `--new-session`: the child already has a session, and one process group reaches all its children.
  flags.push('--die-with-parent', '--clearenv');
  for (const [name, value] of Object.entries(SANDBOX_ENV)) flags.push('--setenv', name, value);
  const programDir = dirname(request.program);
  if (programDir !== '.' && !programDir.startsWith('/usr/')) flags.push('--ro-bind', programDir, programDir);
  if (request.sourcePath !== null) flags.push('--ro-bind', request.sourcePath, SANDBOX_SOURCE);
  if (request.outputDir !== null) flags.push('--bind', request.outputDir, SANDBOX_OUTPUT);
  return flags;
}

/**
 * Files that a program under Landlock may read in addition to `/usr`: the dynamic linker's, and the kernel's
 * information about the machine and the program.
 */
const LANDLOCK_READ = [
  ...['/usr', '/etc/alternatives', '/etc/ld.so.cache', '/proc/self', '/proc/cpuinfo', '/proc/meminfo'],
  ...['/sys/devices/system/cpu', '/sys/devices/system/node', '/sys/kernel/mm/transparent_hugepage'],
  ...['/dev/zero', '/dev/random', '/dev/urandom'],
];

function landlockArgv(request: SandboxRequest, filterFd: number | null): string[] {
  const read = [...LANDLOCK_READ];
  const programDir = dirname(request.program);
  if (programDir !== '.' && !programDir.startsWith('/usr/')) read.push(programDir);
  if (request.sourcePath !== null) read.push(request.sourcePath);
  const written = ['/dev/null', ...(request.outputDir === null ? [] : [request.outputDir])];
  const rules = [...read.flatMap((path) => ['read', path]), ...written.flatMap((path) => ['write', path])];
  return ['perl', LANDLOCK_LAUNCHER, process.arch, String(filterFd ?? '-'), ...rules, '--'];
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
