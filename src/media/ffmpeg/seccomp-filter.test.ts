import { expect, test } from 'vitest';
import { forever } from '../../../test/support/media/run-clip.ts';
import { runSandboxed } from './run-sandboxed.ts';
import type { SandboxLevel } from './sandbox-argv.ts';
import { seccompFilter } from './seccomp-filter.ts';

const EPERM = 1;
const ENOSYS = 38;
const NEW_USER_NAMESPACE = 0x10000000;
const TIOCSTI = 0x5412;

/**
 * System calls that the filter denies with EPERM. Without the filter, they succeed or fail with a different error
 * (linux/unistd.h, x86-64).
 */
const DENIED: Record<string, readonly number[]> = {
  keyctl: [250, 0, -3, 0],
  add_key: [248, 0, 0, 0, 0, -3],
  request_key: [249, 0, 0, 0, 0],
  bpf: [321, 0, 0, 0],
  perf_event_open: [298, 0, 0, -1, -1, 0],
  userfaultfd: [323, 1],
  io_uring_setup: [425, 0, 0],
  io_uring_enter: [426, -1, 0, 0, 0, 0],
  io_uring_register: [427, -1, 0, 0, 0],
  ptrace: [101, 0, 0, 0, 0],
  process_vm_readv: [310, 1, 0, 0, 0, 0, 0],
  process_vm_writev: [311, 1, 0, 0, 0, 0, 0],
  mount: [165, 0, 0, 0, 0, 0],
  umount2: [166, 0, 0],
  move_mount: [429, -1, 0, -1, 0, 0],
  open_tree: [428, -1, 0, 0],
  fsopen: [430, 0, 0],
  mount_setattr: [442, -1, 0, 0, 0, 0],
  pivot_root: [155, 0, 0],
  chroot: [161, 0],
  unshare: [272, NEW_USER_NAMESPACE],
  setns: [308, -1, 0],
  clone: [56, NEW_USER_NAMESPACE, 0, 0, 0, 0],
  kexec_load: [246, 0, 0, 0, 0],
  init_module: [175, 0, 0, 0],
  finit_module: [313, -1, 0, 0],
  delete_module: [176, 0, 0],
  personality: [135, -1],
  iopl: [172, 0],
  ioperm: [173, 0, 0, 0],
  reboot: [169, 0, 0, 0, 0],
  swapon: [167, 0, 0],
  syslog: [103, 10, 0, 0],
  open_by_handle_at: [304, -1, 0, 0],
  fanotify_init: [300, 0, 0],
  ioctl: [16, 0, TIOCSTI, 0],
  'socket of IPv4': [41, 2, 1, 0],
  'socket of IPv6': [41, 10, 2, 0],
  'socket of netlink': [41, 16, 3, 0],
  'socket of packets': [41, 17, 3, 0],
  'socketpair of IPv4': [53, 2, 1, 0, 0],
};
/** System calls that fail as on an older kernel, so that programs fall back to an older call. */
const UNKNOWN: Record<string, readonly number[]> = {
  clone3: [435, 0, 0],
  'a call of the x32 interface': [0x40000000 + 39],
  'a call newer than the list': [9999],
};
/** System calls that are also denied if other processes are visible. */
const DENIED_WITHOUT_NAMESPACES: Record<string, readonly number[]> = {
  'socket of UNIX': [41, 1, 1, 0],
  'socketpair of UNIX': [53, 1, 2, 0, 0],
  connect: [42, -1, 0, 0],
  'open for neither reading nor writing': [2, 0, 3],
  'openat for neither reading nor writing, with O_TRUNC': [257, -1, 0, 0x203],
  openat2: [437, -1, 0, 0, 24],
  'F_SETOWN of fcntl': [72, 0, 8, 1],
  'F_SETSIG of fcntl': [72, 0, 10, 9],
  'F_SETOWN_EX of fcntl': [72, 0, 15, 0],
  FIOSETOWN: [16, 0, 0x8901, 0],
  'kill of another process': [62, 1, 0],
  'kill of the process group': [62, 0, 0],
  'kill of all processes': [62, -1, 0],
  tkill: [200, 1, 0],
  'tgkill of another process': [234, 1, 1, 0],
  rt_sigqueueinfo: [129, 1, 0, 0],
  pidfd_open: [434, 1, 0],
  pidfd_send_signal: [424, -1, 0, 0, 0],
  'prlimit64 of another process': [302, 1, 7, 0, 0],
  setpriority: [141, 0, 0, 0],
  sched_setaffinity: [203, 1, 0, 0],
  shmget: [29, 1, 0, 0],
  semget: [64, 1, 0, 0],
  msgget: [68, 1, 0],
  mq_open: [240, 0, 0, 0, 0],
  truncate: [76, 0, 0],
  chmod: [90, 0, 0],
  fchmod: [91, -1, 0],
  fchmodat: [268, -1, 0, 0],
  chown: [92, 0, 0, 0],
  fchownat: [260, -1, 0, 0, 0, 0],
  utimes: [235, 0, 0],
  utimensat: [280, -1, 0, 0, 0],
  setxattr: [188, 0, 0, 0, 0, 0],
  removexattr: [197, 0, 0],
};
const ALLOWED: Record<string, readonly number[]> = { getpid: [39], 'socket of UNIX': [41, 1, 1, 0], getuid: [102] };

/** Makes the calls in one perl process and returns the error number of each, or 0. */
async function errorsOf(
  calls: Record<string, readonly number[]>,
  level: SandboxLevel,
): Promise<Record<string, number>> {
  const lists = Object.values(calls).map((numbers) => `[${numbers.join()}]`);
  const call = '$! = 0; my $r = syscall($$_[0], @$_[1..$#$_]);';
  const program = `for (${lists.join()}) { ${call} print(($r == -1 ? $!+0 : 0), "\n"); }`;
  const limits = { cpuSec: 20, addressSpaceBytes: 2 * 1024 ** 3, fileSizeBytes: 1024, openFiles: 64 };
  const command = { program: '/usr/bin/perl', argv: ['-e', program], sourcePath: null, outputDir: null, limits };
  const bounds = { niceness: 0, extraPipes: 0, takesStdin: false, timeLimitSec: 20, level };
  const { stdout, stderrTail, exitCode } = await runSandboxed({ ...command, ...bounds }, 4096, forever);
  expect([exitCode, stderrTail]).toEqual([0, '']);
  const errors = stdout.toString().trim().split('\n').map(Number);
  return Object.fromEntries(Object.keys(calls).map((name, index) => [name, errors[index] ?? -1]));
}

const all = (calls: object, errno: number) => Object.fromEntries(Object.keys(calls).map((name) => [name, errno]));

test.runIf(process.arch === 'x64')('blocks system calls that encoders do not use', async () => {
  expect(await errorsOf(DENIED, 'bubblewrap')).toEqual(all(DENIED, EPERM));
  expect(await errorsOf(UNKNOWN, 'bubblewrap')).toEqual(all(UNKNOWN, ENOSYS));
  expect(await errorsOf(ALLOWED, 'bubblewrap')).toEqual(all(ALLOWED, 0));
});

test.runIf(process.arch === 'x64')('blocks more system calls if namespaces are not available', async () => {
  const calls = { ...DENIED, ...DENIED_WITHOUT_NAMESPACES };
  expect(await errorsOf(calls, 'landlock')).toEqual(all(calls, EPERM));
  expect(await errorsOf(UNKNOWN, 'landlock')).toEqual(all(UNKNOWN, ENOSYS));
  const allowed = { getpid: [39], 'F_GETFL of fcntl': [72, 0, 3, 0], 'prlimit64 of itself': [302, 0, 7, 0, 0] };
  expect(await errorsOf(allowed, 'landlock')).toEqual(all(allowed, 0));
});

test.each(['x64', 'arm64'] as const)('every path of the filter program for %s ends with a verdict', (arch) => {
  const program = seccompFilter(arch, 4242);
  const length = program.length / 8;
  // Limit BPF_MAXINSNS of linux/bpf_common.h.
  expect(length).toBeLessThan(4096);
  for (let index = 0; index < length; index += 1) {
    const code = program.readUInt16LE(index * 8);
    const isJump = [0x15, 0x25, 0x45].includes(code);
    const farthest = isJump ? index + 1 + Math.max(program[index * 8 + 2] ?? 0, program[index * 8 + 3] ?? 0) : index;
    expect(farthest).toBeLessThan(length);
  }
  expect(program.readUInt16LE((length - 1) * 8)).toBe(0x06);
});
