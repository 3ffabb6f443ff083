/** Processor architectures for which a filter exists. */
export type FilterArch = 'x64' | 'arm64';

/** System calls that are allowed or denied depending on their arguments. */
type CheckedCall =
  | 'clone'
  | 'clone3'
  | 'fcntl'
  | 'ioctl'
  | 'kill'
  | 'openat'
  | 'prlimit64'
  | 'socket'
  | 'socketpair'
  | 'tgkill';

type Arch = {
  /** `AUDIT_ARCH_*` of linux/audit.h. */
  audit: number;
  calls: Readonly<Record<CheckedCall, number>>;
  /** Number of the system call `open`, or null on architectures without it. */
  open: number | null;
  denied: readonly number[];
  deniedWithoutNamespaces: readonly number[];
  /** Highest system call number of Linux 5.17. The filter treats higher numbers as unknown calls. */
  lastCall: number;
};

/**
 * System calls that no encoder makes, with their numbers on both architectures, or null if an architecture lacks the
 * call: kernel keys, programs in the kernel, other processes, mounts and namespaces, modules, clocks, and kernel
 * interfaces with a history of vulnerabilities (io_uring, userfaultfd, perf, fanotify).
 */
const DENIED: Readonly<Record<string, readonly [x64: number, arm64: number | null]>> = {
  ...{ keyctl: [250, 219], add_key: [248, 217], request_key: [249, 218], memfd_secret: [447, 447] },
  ...{ bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282] },
  ...{ io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], kcmp: [312, 272] },
  ...{ process_madvise: [440, 440], process_mrelease: [448, 448], pidfd_getfd: [438, 438] },
  ...{ mount: [165, 40], umount2: [166, 39], move_mount: [429, 429], open_tree: [428, 428], fsopen: [430, 430] },
  ...{ fsconfig: [431, 431], fsmount: [432, 432], fspick: [433, 433], mount_setattr: [442, 442] },
  ...{ pivot_root: [155, 41], chroot: [161, 51], unshare: [272, 97], setns: [308, 268] },
  ...{ kexec_load: [246, 104], kexec_file_load: [320, 294], reboot: [169, 142], syslog: [103, 116] },
  ...{ init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106], create_module: [174, null] },
  ...{ get_kernel_syms: [177, null], query_module: [178, null], personality: [135, 92], modify_ldt: [154, null] },
  ...{ iopl: [172, null], ioperm: [173, null], swapon: [167, 224], swapoff: [168, 225], acct: [163, 89] },
  ...{ quotactl: [179, 60], quotactl_fd: [443, 443], sethostname: [170, 161], setdomainname: [171, 162] },
  ...{ settimeofday: [164, 170], clock_settime: [227, 112], clock_adjtime: [305, 266], adjtimex: [159, 171] },
  ...{ vhangup: [153, 58], nfsservctl: [180, 42], lookup_dcookie: [212, 18], uselib: [134, null], ustat: [136, null] },
  ...{ open_by_handle_at: [304, 265], name_to_handle_at: [303, 264], fanotify_init: [300, 262] },
  ...{ fanotify_mark: [301, 263], sysfs: [139, null], _sysctl: [156, null], migrate_pages: [256, 238] },
  ...{ move_pages: [279, 239] },
};

/**
 * More system calls that no encoder makes, denied if other processes and other files of the user are visible: sockets,
 * less common ways to send signals, System V shared memory, and changes to files that Landlock does not check.
 */
const DENIED_WITHOUT_NAMESPACES: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  ...{ socket: [41, 198], socketpair: [53, 199], connect: [42, 203], bind: [49, 200], listen: [50, 201] },
  // The flags of openat2 are in memory, which a filter cannot read.
  ...{ openat2: [437, 437] },
  ...{ tkill: [200, 130], rt_sigqueueinfo: [129, 138], rt_tgsigqueueinfo: [297, 240] },
  ...{ pidfd_send_signal: [424, 424], pidfd_open: [434, 434] },
  ...{ setpriority: [141, 140], ioprio_set: [251, 30], sched_setparam: [142, 118], sched_setscheduler: [144, 119] },
  ...{ sched_setaffinity: [203, 122], sched_setattr: [314, 274] },
  ...{ shmget: [29, 194], shmctl: [31, 195], shmat: [30, 196], semget: [64, 190], semctl: [66, 191] },
  ...{ semop: [65, 193], semtimedop: [220, 192], msgget: [68, 186], msgctl: [71, 187], msgsnd: [69, 189] },
  ...{ msgrcv: [70, 188], mq_open: [240, 180], mq_unlink: [241, 181] },
  ...{ truncate: [76, 45], fchmod: [91, 52], fchmodat: [268, 53], fchown: [93, 55], fchownat: [260, 54] },
  ...{ utimensat: [280, 88], setxattr: [188, 5], lsetxattr: [189, 6], fsetxattr: [190, 7] },
  ...{ removexattr: [197, 14], lremovexattr: [198, 15], fremovexattr: [199, 16], inotify_add_watch: [254, 27] },
};
/** Calls to deny in the same case that only x86-64 has. */
const OLD_CALLS_OF_X64 = { chmod: 90, chown: 92, lchown: 94, utime: 132, utimes: 235, futimesat: 261 };

const ARCHES: Readonly<Record<FilterArch, Arch>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...{ clone: 56, clone3: 435, fcntl: 72, ioctl: 16, kill: 62, openat: 257, prlimit64: 302 },
      ...{ socket: 41, socketpair: 53, tgkill: 234 },
    },
    open: 2,
    denied: Object.values(DENIED).map(([x64]) => x64),
    deniedWithoutNamespaces: [
      ...Object.values(OLD_CALLS_OF_X64),
      ...Object.values(DENIED_WITHOUT_NAMESPACES).map(([x64]) => x64),
    ],
    lastCall: 450,
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...{ clone: 220, clone3: 435, fcntl: 25, ioctl: 29, kill: 129, openat: 56, prlimit64: 261 },
      ...{ socket: 198, socketpair: 199, tgkill: 131 },
    },
    open: null,
    denied: Object.values(DENIED).flatMap(([, arm64]) => arm64 ?? []),
    deniedWithoutNamespaces: Object.values(DENIED_WITHOUT_NAMESPACES).map(([, arm64]) => arm64),
    lastCall: 450,
  },
};

/** `CLONE_NEW*` flags of linux/sched.h, each of which creates a namespace. */
const NEW_NAMESPACES = 0x7e020000;
/** ioctl requests that inject terminal input (asm-generic/ioctls.h, linux/tty.h). */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** ioctl requests and fcntl commands that choose the process to which a file sends signals (asm-generic/fcntl.h). */
const FIOSETOWN = 0x8901;
const SIOCSPGRP = 0x8902;
const OWNER_COMMANDS = { F_SETOWN: 8, F_SETSIG: 10, F_SETOWN_EX: 15 };
/** Bits of the access mode in the flags of `open`, and the mode for neither reading nor writing. */
const ACCESS_MODE = 3;
const NEITHER = 3;
const AF_UNIX = 1;
const EPERM = 1;
const ENOSYS = 38;

/** Instruction codes of linux/bpf_common.h and linux/filter.h. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;
/** Verdicts of linux/seccomp.h. */
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;
/** Offsets in `struct seccomp_data`. The low half of an argument comes first on both architectures. */
const CALL_AT = 0;
const ARCH_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const SECOND_ARGUMENT_AT = 24;
const THIRD_ARGUMENT_AT = 32;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * Returns the seccomp filter of a sandbox as an array of `struct sock_filter`. Denied calls fail with EPERM. clone3,
 * whose flags a filter cannot inspect, and calls newer than the list fail with ENOSYS, so that the C library uses the
 * older call. System calls of a different architecture kill the process. `onlyPid` is for a sandbox without namespaces:
 * the program may send signals only to the process with this id, and cannot open sockets.
 */
export function seccompFilter(arch: FilterArch, onlyPid: number | null): Buffer {
  const { audit, calls, denied, lastCall } = ARCHES[arch];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCH_AT],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, CALL_AT],
    // This also covers the x32 interface, which has higher numbers and its own vulnerabilities.
    ...refuseIf([JUMP_GREATER, lastCall], ENOSYS),
    ...refuseIf([JUMP_EQUAL, calls.clone3], ENOSYS),
    ...denied.flatMap((call) => refuseIf([JUMP_EQUAL, call], EPERM)),
    ...(onlyPid === null ? [] : confine(arch, onlyPid)),
    ...ofCall(calls.clone, FIRST_ARGUMENT_AT, refuseIf([JUMP_ANY_BIT, NEW_NAMESPACES], EPERM)),
    ...ofCall(calls.ioctl, SECOND_ARGUMENT_AT, [
      ...refuseIf([JUMP_EQUAL, TIOCSTI], EPERM),
      ...refuseIf([JUMP_EQUAL, TIOCLINUX], EPERM),
      ...refuseIf([JUMP_EQUAL, FIOSETOWN], EPERM),
      ...refuseIf([JUMP_EQUAL, SIOCSPGRP], EPERM),
    ]),
    ...ofCall(calls.socket, FIRST_ARGUMENT_AT, refuseUnless([JUMP_EQUAL, AF_UNIX], EPERM)),
    ...ofCall(calls.socketpair, FIRST_ARGUMENT_AT, refuseUnless([JUMP_EQUAL, AF_UNIX], EPERM)),
    [RETURN, 0, 0, ALLOW],
  ];
  return assemble(program);
}

/** Returns the number of each system call that the filter names, or null if the architecture lacks the call. */
export function namedCalls(arch: FilterArch): Record<string, number | null> {
  const lists = Object.entries({ ...DENIED, ...DENIED_WITHOUT_NAMESPACES });
  const numbers = Object.fromEntries(lists.map(([name, [x64, arm64]]) => [name, arch === 'x64' ? x64 : arm64]));
  const old = Object.entries(OLD_CALLS_OF_X64).map(([name, x64]) => [name, arch === 'x64' ? x64 : null]);
  const { calls, open } = ARCHES[arch];
  return { ...numbers, ...Object.fromEntries(old), ...calls, open };
}

/** Returns the rules that replace namespaces. In these calls, process id 0 means the caller. */
function confine(arch: FilterArch, pid: number): Instruction[] {
  const { calls, open, deniedWithoutNamespaces } = ARCHES[arch];
  // Before Linux 6.2, Landlock does not check this mode, which can empty a file.
  const refuseNeither: Instruction[] = [[AND, 0, 0, ACCESS_MODE], ...refuseIf([JUMP_EQUAL, NEITHER], EPERM)];
  const owners = Object.values(OWNER_COMMANDS).flatMap((command) => refuseIf([JUMP_EQUAL, command], EPERM));
  return [
    ...deniedWithoutNamespaces.flatMap((call) => refuseIf([JUMP_EQUAL, call], EPERM)),
    ...(open === null ? [] : ofCall(open, SECOND_ARGUMENT_AT, refuseNeither)),
    ...ofCall(calls.openat, THIRD_ARGUMENT_AT, refuseNeither),
    ...ofCall(calls.fcntl, SECOND_ARGUMENT_AT, owners),
    ...ofCall(calls.kill, FIRST_ARGUMENT_AT, refuseUnless([JUMP_EQUAL, pid], EPERM)),
    ...ofCall(calls.tgkill, FIRST_ARGUMENT_AT, refuseUnless([JUMP_EQUAL, pid], EPERM)),
    ...ofCall(calls.prlimit64, FIRST_ARGUMENT_AT, [[JUMP_EQUAL, 2, 0, 0], ...refuseUnless([JUMP_EQUAL, pid], EPERM)]),
  ];
}

function refuseIf([code, value]: readonly [number, number], errno: number): Instruction[] {
  return [
    [code, 0, 1, value],
    [RETURN, 0, 0, ERRNO | errno],
  ];
}

function refuseUnless([code, value]: readonly [number, number], errno: number): Instruction[] {
  return [
    [code, 1, 0, value],
    [RETURN, 0, 0, ERRNO | errno],
  ];
}

/**
 * Returns instructions that apply `rules` to one argument of a call. The call is allowed unless a rule denies it. Other
 * calls skip the rules.
 */
function ofCall(call: number, argumentAt: number, rules: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, rules.length + 2, call], [LOAD, 0, 0, argumentAt], ...rules, [RETURN, 0, 0, ALLOW]];
}

/**
 * Encodes `struct sock_filter`: a 16-bit code, two 8-bit jumps and a 32-bit value, in the processor's byte order
 * (little endian).
 */
function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
