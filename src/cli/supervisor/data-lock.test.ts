import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
])('removes the permissions of others from a data folder of mode $before', async ({ before, after, returned }) => {
  await chmod(folder, before);
  expect(makeDataDir(folder)).toBe(returned);
  expect((await stat(folder)).mode & 0o777).toBe(after);
});

test('refuses a folder of another owner that others can read', () => {
  // No user can change a folder of the kernel.
  expect(() => makeDataDir('/proc/sys')).toThrow(/^MILLRACE_DATA_DIR: expected .* got mode 555 .* chmod 700/);
});

test('creates a new data folder without permissions for others', async () => {
  const made = join(folder, 'made');
  expect(makeDataDir(made)).toBeNull();
  expect((await stat(made)).mode & 0o777).toBe(0o700);
});
