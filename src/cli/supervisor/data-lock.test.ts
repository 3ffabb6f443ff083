import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDataDir } from './data-lock.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-data-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ENTER = process.getuid?.() === 0 ? 0o011 : 0;

test.each([
  { before: 0o755, after: 0o700 | ENTER, returned: '755' },
  { before: 0o777, after: 0o700 | ENTER, returned: '777' },
  { before: 0o750, after: 0o700 | (ENTER & 0o010), returned: '750' },
  { before: 0o700, after: 0o700, returned: null },
  { before: 0o711, after: 0o711, returned: null },
])(
  'removes the permissions of other users from a data folder with mode $before',
  async ({ before, after, returned }) => {
    await chmod(folder, before);
    expect(makeDataDir(folder)).toBe(returned);
    expect((await stat(folder)).mode & 0o777).toBe(after);
  },
);

test('rejects a folder of a kernel file system, which is not writable', () => {
  // No user can change a folder of a kernel file system.
  expect(() => makeDataDir('/proc/sys')).toThrow(
    /^MILLRACE_DATA_DIR: expected a folder that user \d+ can write, got \/proc\/sys of user 0 /,
  );
});

test('rejects a folder below /proc, where no folder can be created', () => {
  expect(() => makeDataDir('/proc/millrace/data')).toThrow(
    /^MILLRACE_DATA_DIR: expected a folder that user \d+ can write/,
  );
});

test('rejects a link to a folder that does not exist', async () => {
  const link = join(folder, 'link');
  await symlink(join(folder, 'missing'), link);
  expect(() => makeDataDir(link)).toThrow(`MILLRACE_DATA_DIR: expected a folder, got a broken link: ${link}.`);
});

test.each(['/etc/hostname', '/etc/hostname/data'])('rejects %s, which is a file or a path below a file', (path) => {
  expect(() => makeDataDir(path)).toThrow(
    `MILLRACE_DATA_DIR: expected a folder, got ${path}, which is a file or a path below`,
  );
});

const NOT_WRITABLE = /^Refused MILLRACE_DATA_DIR: expected a folder that user \d+ can write, got .*chown -R \d+ /;

test.each([
  { mode: 0o500, name: '', message: NOT_WRITABLE },
  { mode: 0o500, name: 'made', message: NOT_WRITABLE },
  { mode: 0o777, name: '', message: /^Refused MILLRACE_DATA_DIR: expected .* got mode 777 .* chmod 700/ },
])('rejects "$name" in a folder of another user with mode $mode', async ({ mode, name, message }) => {
  const closed = join(folder, 'closed');
  await mkdir(closed, { recursive: true });
  await chmod(closed, mode);
  await chmod(folder, 0o755);
  const module = new URL('./data-lock.ts', import.meta.url).href;
  const code = `const { makeDataDir } = await import(${JSON.stringify(module)});
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    try { makeDataDir(process.argv[1]); } catch (error) { console.log(error.name, error.message); }`;
  const argv = ['--input-type=module', '-e', code, join(closed, name)];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  expect(stdout).toMatch(message);
  expect(await readdir(closed)).toEqual([]);
});

test('rejects a data folder that is not on a volume if a volume is required', () => {
  const wanted = { onVolume: true };
  // On Linux, /proc is always a separate file system.
  expect(() => makeDataDir('/no-volume', wanted)).toThrow(/^MILLRACE_DATA_DIR: expected a volume at \/no-volume, /);
  expect(() => makeDataDir('/proc/sys', wanted)).not.toThrow(/expected a volume/);
});

test('creates a new data folder without permissions for others', async () => {
  const made = join(folder, 'made');
  expect(makeDataDir(made)).toBeNull();
  expect((await stat(made)).mode & 0o777).toBe(0o700);
});
