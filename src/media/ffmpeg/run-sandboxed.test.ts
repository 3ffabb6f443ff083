import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forever, isAlive, makeFolder, processTree, until } from '../../../test/support/media/run-clip.ts';
import type { SandboxedCommand } from './run-child.ts';
import { detectSandbox, runSandboxed, setMediaRules, startSandboxed } from './run-sandboxed.ts';
import { type SandboxLevel, sandboxArgv } from './sandbox-argv.ts';

const LEVELS: SandboxLevel[] = ['bubblewrap', 'landlock', 'none'];
const LIMITS = { cpuSec: 20, addressSpaceBytes: 2 * 1024 ** 3, fileSizeBytes: 1024 ** 2, openFiles: 64 };

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

function shell(script: string, level: SandboxLevel, more: Partial<SandboxedCommand> = {}): SandboxedCommand {
  return {
    program: '/usr/bin/bash',
    argv: ['-c', script],
    sourcePath: null,
    outputDir: null,
    limits: LIMITS,
    niceness: 5,
    extraPipes: 0,
    takesStdin: false,
    timeLimitSec: 20,
    level,
    graceMs: 300,
    ...more,
  };
}

test('detects the strongest available sandbox once', async () => {
  expect(LEVELS).toContain(await detectSandbox());
  expect(detectSandbox()).toBe(detectSandbox());
});

describe('the detected sandbox', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
  });

  /** Detects the sandbox twice: with one of its programs replaced, and again with the original. */
  async function detectTwice(program: string, script: string): Promise<string[]> {
    const folder = await mkdtemp(join(dir, 'bin-'));
    // A separate module instance, without a cached result.
    const fresh: typeof import('./run-sandboxed.ts') = await import(`./run-sandboxed.ts?${folder}`);
    await writeFile(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const detect = () => fresh.detectSandbox().catch(() => 'unavailable');
    process.env.PATH = `${folder}:${path}`;
    const before = await detect();
    process.env.PATH = path;
    return [before, await detect()];
  }

  test.each([
    {
      program: 'nice',
      script: 'exit 1',
      title: 'is probed again when no sandbox worked',
      found: ['unavailable', 'bubblewrap'],
    },
    { program: 'bwrap', script: 'kill $$', title: 'is probed again when bubblewrap was killed' },
    {
      program: 'bwrap',
      script: 'echo Creating new namespace failed: Resource temporarily unavailable >&2; exit 1',
      title: 'is probed again when no process could be started',
    },
    {
      program: 'bwrap',
      script: 'echo No permissions to create new namespace >&2; exit 1',
      title: 'is kept when bubblewrap is not permitted',
      found: ['landlock', 'landlock'],
    },
  ])('$title', async ({ program, script, found = ['landlock', 'bubblewrap'] }) => {
    expect(await detectTwice(program, script)).toEqual(found);
  });
});

describe('without a working bubblewrap', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
    setMediaRules({ sandbox: 'auto', allowsRareDecoders: false });
  });

  test('starts no program if the configured sandbox does not work', async () => {
    const folder = await mkdtemp(join(dir, 'bin-'));
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho No permissions >&2; exit 1\n', { mode: 0o755 });
    process.env.PATH = `${folder}:${path}`;
    setMediaRules({ sandbox: 'bubblewrap', allowsRareDecoders: false });
    const { level: _, ...command } = shell('true', 'none');
    const refused = await runSandboxed(command, 10, forever).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'Refused', kind: 'unavailable' });
    expect(String(refused)).toMatch(/MILLRACE_SANDBOX is "bubblewrap".*MILLRACE_SANDBOX=none.*No permissions/);
    process.env.PATH = path;
    expect((await runSandboxed(command, 10, forever)).exitCode).toBe(0);
  });
});

describe.each(LEVELS)('sandbox level %s', (level) => {
  test('reads the source at its fixed path and writes to the output folder and the extra pipes', async () => {
    const sourcePath = join(dir, "an odd ' name.bin");
    await writeFile(sourcePath, 'hello');
    const argv = ['-c', 'cat "$0"; echo pipe >&3; echo out > "$1"', '/in/source', '/out/result'];
    const child = await startSandboxed(shell('', level, { argv, sourcePath, outputDir: dir, extraPipes: 1 }), forever);
    const pipe = child.pipes[0];
    if (pipe === undefined) throw new Error('Expected one extra pipe.');
    expect(await Promise.all([text(child.stdout), text(pipe)])).toEqual(['hello', 'pipe\n']);
    expect(await child.ended).toMatchObject({ exitCode: 0, killed: null, stderrTail: '' });
  });

  test('sets an empty environment, limits, niceness, a higher OOM score and no new privileges', async () => {
    const own = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
    // Only the program itself may read its status, and not its children.
    const script =
      'read -r score < /proc/self/oom_score_adj; echo $score; ' +
      'env | grep -v -E "^(PATH|GLIBC_TUNABLES|PWD|SHLVL|_)="; ulimit -t; ulimit -n; ulimit -c; nice; ' +
      'while read -r line; do case $line in NoNewPrivs*|CapEff*) echo "$line";; esac; done < /proc/self/status';
    const { stdout } = await runSandboxed(shell(script, level), 4096, forever);
    expect(stdout.toString().replaceAll('\t', '').split('\n')).toEqual([
      // Higher than the score of the parent process, so that Linux kills the child first.
      String(Math.min(1000, own + 500)),
      '20',
      '64',
      '0',
      // `nice` adds to the niceness of the parent process.
      String(Math.min(19, getPriority() + 5)),
      'CapEff:0000000000000000',
      'NoNewPrivs:1',
      '',
    ]);
  });

  test('keeps the end of the output, reports exit codes and rejects oversized output', async () => {
    const end = await runSandboxed(shell('seq 30000 >&2; echo last >&2; exit 3', level), 10, forever);
    expect(end.exitCode).toBe(3);
    expect(end.stderrTail.length).toBe(64 * 1024);
    expect(end.stderrTail.endsWith('30000\nlast\n')).toBe(true);
    await expect(runSandboxed(shell('echo 12345678901', level), 10, forever)).rejects.toThrow('at most 10 bytes');
  });

  test('distinguishes an external kill, the CPU limit, the time limit and an abort', async () => {
    const killed = await runSandboxed(shell('kill -9 $$', level), 10, forever);
    expect(killed.killed).toBe('out-of-memory');
    const limits = { ...LIMITS, cpuSec: 1 };
    const busy = await runSandboxed(shell('while :; do :; done', level, { limits }), 10, forever);
    expect(busy.killed).toBe('cpu-limit');
    const slow = await runSandboxed(shell('sleep 60', level, { timeLimitSec: 0.2 }), 10, forever);
    expect(slow.killed).toBe('time-limit');
    const aborted = await runSandboxed(shell('sleep 60', level), 10, AbortSignal.timeout(200));
    expect(aborted.killed).toBe('aborted');
    await expect(startSandboxed(shell('true', level), AbortSignal.abort())).rejects.toThrow();
  });
});

describe.each(LEVELS)('leaves no processes at level %s', (level) => {
  test('after an abort, including group members that ignore SIGTERM', async () => {
    const control = new AbortController();
    const script = 'trap "" TERM; sleep 61 & (trap "" TERM; sleep 62) & echo ready; wait';
    const child = await startSandboxed(shell(script, level), control.signal);
    child.stdout.once('data', () => undefined);
    await until(() => processTree(child.pid).length >= 3);
    const members = processTree(child.pid);
    control.abort();
    expect((await child.ended).killed).toBe('aborted');
    await until(() => !members.some(isAlive));
  });

  test('after an external kill during the start, and closes the output', async () => {
    for (let round = 0; round < 10; round += 1) {
      const child = await startSandboxed(shell('sleep 20', level), forever);
      child.stdout.resume();
      await pause(round / 2);
      process.kill(child.pid, 'SIGKILL');
      expect(await child.ended).toMatchObject({ killed: 'out-of-memory' });
    }
  });

  test('after the parent is killed with SIGKILL', async () => {
    const module = new URL('./run-sandboxed.ts', import.meta.url).href;
    // Without namespaces, only the program itself is killed and not its children. ffmpeg and ffprobe have no children.
    const command = JSON.stringify(shell(level === 'bubblewrap' ? 'sleep 63 & wait' : 'exec sleep 63', level));
    const code = `import { startSandboxed } from ${JSON.stringify(module)};
      const child = await startSandboxed(${command}, new AbortController().signal);
      process.stdout.write(String(child.pid));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (data) => resolve(Number(data))));
    // The parent-death signal is set last, just before the program starts.
    const isSetUp = () => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep');
    await until(() => (level === 'bubblewrap' ? processTree(pid).length > 3 : isSetUp()));
    const members = processTree(pid);
    parent.kill('SIGKILL');
    await until(() => !members.some(isAlive));
  });
});

test('bubblewrap hides the files and the network of this machine', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const script =
    `ls /etc /home /root ${dir} 2>/dev/null; (echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected; ` +
    'id -u; touch /usr/x 2>/dev/null || echo read-only';
  const { stdout } = await runSandboxed(shell(script, 'bubblewrap'), 4096, forever);
  server.close();
  expect(stdout.toString()).toBe('/etc:\nalternatives\n65534\nread-only\n');
});

/**
 * Perl program that attacks the service from the sandbox of an encoder. Prints the name of each attack that succeeds.
 */
const PROBE = `use Socket; my ($key, $port, $path, $pid) = @ARGV;
  sub report { print "$_[0]\\n" if $_[1] }
  report('reads the key', open(my $read, '<', $key));
  report('lists its folder', opendir(my $folder, $key =~ s{/[^/]*$}{}r));
  report('writes next to it', open(my $write, '>', "$key.new"));
  report('appends to it', open(my $append, '>>', $key));
  report('changes its mode', chmod(0644, $key));
  report('changes its times', utime(1, 1, $key));
  report('truncates it', truncate($key, 3));
  sub dial { my $socket; socket($socket, $_[0], $_[1], 0) and connect($socket, $_[2]) }
  report('connects', dial(PF_INET, SOCK_STREAM, pack_sockaddr_in($port, INADDR_LOOPBACK)));
  report('sends datagrams', dial(PF_INET, SOCK_DGRAM, pack_sockaddr_in($port, INADDR_LOOPBACK)));
  report('connects to a socket file', dial(PF_UNIX, SOCK_STREAM, pack_sockaddr_un($path)));
  report('signals the service', kill(0, $pid));
  report('slows down the service', setpriority(0, $pid, getpriority(0, $pid)));
  report('reads its environment', open(my $environment, '<', "/proc/$pid/environ"));
  report('reads its memory', open(my $memory, '<', "/proc/$pid/mem"));`;

/** Attacks that succeed without a sandbox, whatever the capabilities of this user. */
const REACHED = [
  ...['reads the key', 'lists its folder', 'writes next to it', 'appends to it', 'changes its mode'],
  ...['changes its times', 'truncates it', 'connects', 'sends datagrams', 'connects to a socket file'],
  'signals the service',
];

test.each([
  { level: 'bubblewrap', found: [] },
  { level: 'landlock', found: [] },
  { level: 'none', found: expect.arrayContaining(REACHED) },
] as const)('a program under $level cannot attack the service, but can without a sandbox', async (row) => {
  const folder = await mkdtemp(join(dir, 'data-'));
  const [key, path] = [join(folder, 'secret.key'), join(folder, 'socket')];
  await writeFile(key, 'secret', { mode: 0o600 });
  const servers = [createServer().listen(0, '127.0.0.1'), createServer().listen(path)];
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const { port } = Object(servers[0]?.address());
  const argv = ['-e', PROBE, key, String(port), path, String(process.pid)];
  const command = shell('', row.level, { program: '/usr/bin/perl', argv });
  const { stdout, stderrTail, exitCode } = await runSandboxed(command, 4096, forever);
  for (const server of servers) server.close();
  expect([stdout.toString().split('\n').slice(0, -1), stderrTail, exitCode]).toEqual([row.found, '', 0]);
});

test('the launcher reports a kernel without Landlock in one line', async () => {
  // Under this filter, landlock_create_ruleset (444) fails with ENOSYS (38), as before Linux 5.13.
  const filter = [
    [0x20, 0, 0, 0],
    [0x15, 0, 1, 444],
    [0x06, 0, 0, 0x00050026],
    [0x06, 0, 0, 0x7fff0000],
  ];
  const bytes = filter.map(([code, yes, no, value]) => `pack('SCCL', ${[code, yes, no, value].join()})`).join(' . ');
  const prctl = process.arch === 'x64' ? 157 : 167;
  const code = `my $f = ${bytes}; my $p = pack('S x6 p', 4, $f); syscall(${prctl}, 38, 1, 0, 0, 0);
    syscall(${prctl}, 22, 2, $p, 0, 0) == 0 or die "no filter: $!"; exec @ARGV;`;
  const start = { level: 'landlock', filterFd: null, oomScore: 500 } as const;
  const argv = sandboxArgv({ ...shell('echo started', 'landlock'), niceness: 0 }, start);
  const { status, stdout, stderr } = spawnSync('perl', ['-e', code, ...argv], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^landlock: this kernel has no Landlock, which Linux 5\.13 and newer have: [^\n]*\n$/);
});

test('bubblewrap allows no user namespaces, even without the seccomp filter', () => {
  const request = { ...shell('unshare --user true; echo $?', 'bubblewrap'), niceness: 0 };
  const start = { level: 'bubblewrap', filterFd: null, oomScore: 500 } as const;
  const [file = '', ...argv] = sandboxArgv(request, start);
  expect(spawnSync(file, argv, { encoding: 'utf8' })).toMatchObject({
    stdout: '1\n',
    stderr: expect.stringContaining('unshare failed: No space left on device'),
  });
});
