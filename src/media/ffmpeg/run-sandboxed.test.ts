import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forever, isAlive, makeFolder, processTree, until } from '../../../test/support/media/run-clip.ts';
import { detectSandbox, runSandboxed, type SandboxedCommand, setMediaRules, startSandboxed } from './run-sandboxed.ts';
import { type SandboxLevel, sandboxArgv } from './sandbox-argv.ts';

const LEVELS: SandboxLevel[] = ['bubblewrap', 'prlimit'];
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

test('detects the strongest sandbox that works here once', async () => {
  expect(LEVELS).toContain(await detectSandbox());
  expect(detectSandbox()).toBe(detectSandbox());
});

describe('the detected sandbox', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
  });

  /** Detects the sandbox while one of its programs is replaced, and again afterwards. */
  async function detectTwice(program: string, script: string): Promise<string[]> {
    const folder = await mkdtemp(join(dir, 'bin-'));
    // A separate module instance, without a cached result.
    const fresh: typeof import('./run-sandboxed.ts') = await import(`./run-sandboxed.ts?${folder}`);
    await writeFile(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const detect = () => fresh.detectSandbox().catch(() => 'none');
    process.env.PATH = `${folder}:${path}`;
    const before = await detect();
    process.env.PATH = path;
    return [before, await detect()];
  }

  test.each([
    {
      program: 'nice',
      script: 'exit 1',
      title: 'is probed again when nothing worked',
      found: ['none', 'bubblewrap'],
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
      found: ['prlimit', 'prlimit'],
    },
  ])('$title', async ({ program, script, found = ['prlimit', 'bubblewrap'] }) => {
    expect(await detectTwice(program, script)).toEqual(found);
  });
});

describe('without a working bubblewrap', () => {
  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
    setMediaRules({ requiresBubblewrap: false, allowsRareDecoders: false });
  });

  test('a required sandbox blocks every start until it works', async () => {
    const folder = await mkdtemp(join(dir, 'bin-'));
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho No permissions >&2; exit 1\n', { mode: 0o755 });
    process.env.PATH = `${folder}:${path}`;
    setMediaRules({ requiresBubblewrap: true, allowsRareDecoders: false });
    const { level: _, ...command } = shell('true', 'prlimit');
    const refused = await runSandboxed(command, 10, forever).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'Refused', kind: 'unavailable' });
    expect(String(refused)).toMatch(/MILLRACE_SANDBOX is "required".*set MILLRACE_SANDBOX=auto.*No permissions/);
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
    const script =
      'cat /proc/self/oom_score_adj; env | grep -v -E "^(PATH|GLIBC_TUNABLES|PWD|SHLVL|_)="; ulimit -t; ulimit -n; ' +
      'ulimit -c; nice; grep -E ' +
      '"NoNewPrivs|CapEff" /proc/self/status';
    const { stdout } = await runSandboxed(shell(script, level), 4096, forever);
    expect(stdout.toString().replaceAll('\t', '').split('\n')).toEqual([
      // Higher than the score of the parent process, so that Linux kills the child first.
      String(Math.min(1000, own + 500)),
      '20',
      '64',
      '0',
      '5',
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

  test('after a SIGKILL of the parent', async () => {
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
    await until(() => (level === 'prlimit' ? isSetUp() : processTree(pid).length > 3));
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

test('bubblewrap allows no user namespaces, even without the seccomp filter', () => {
  const request = { ...shell('unshare --user true; echo $?', 'bubblewrap'), niceness: 0 };
  const start = { level: 'bubblewrap', filterFd: null, oomScore: 500 } as const;
  const [file = '', ...argv] = sandboxArgv(request, start);
  expect(spawnSync(file, argv, { encoding: 'utf8' })).toMatchObject({
    stdout: '1\n',
    stderr: expect.stringContaining('unshare failed: No space left on device'),
  });
});
