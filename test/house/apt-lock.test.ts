import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { endWithTest } from '../support/end-with-test.ts';

const INSTALLER = join(projectRoot, 'bin/launcher/apt-install.sh');
/** Holds a lock as apt does, until its input ends (fcntl(2); `struct flock` of 64-bit Linux). */
const HOLDER = `use Fcntl; open(my $file, '>>', $ARGV[0]) or die;
my $lock = pack('s s x4 q q l x4', F_WRLCK, 0, 0, 0, 0);
fcntl($file, F_SETLK, $lock) or die; $| = 1; print 'held'; <STDIN>;`;

let folder = '';
let environment: NodeJS.ProcessEnv = {};
/** Folders and an empty list of packages for apt, so that no test waits for or changes this machine's packages. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-apt-'));
  for (const name of ['lists/partial', 'archives/partial', 'dpkg']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'dpkg/status'), '');
  const settings = {
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'dpkg/status'),
    'Dir::Cache::archives': join(folder, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': '/dev/null',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  writeFileSync(join(folder, 'apt.conf'), lines.join(''));
  environment = { ...process.env, APT_CONFIG: join(folder, 'apt.conf'), APT_INSTALL_PAUSE_SEC: '0.1' };
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(...packages: string[]): { child: ChildProcess; output: () => string; code: Promise<number | null> } {
  const child = endWithTest(
    spawn('/bin/sh', [INSTALLER, ...packages], { env: environment, stdio: ['ignore', 'inherit', 'pipe'] }),
  );
  let text = '';
  child.stderr?.on('data', (part) => {
    text += part;
  });
  return { child, output: () => text, code: once(child, 'close').then(([code]) => code) };
}

/** Starts a program that holds a lock until its input ends. */
async function hold(lock: string) {
  const holder = endWithTest(spawn('perl', ['-e', HOLDER, lock], { stdio: ['pipe', 'pipe', 'inherit'] }));
  await once(holder.stdout, 'data');
  return holder;
}

test.each(['lists/lock', 'dpkg/lock-frontend', 'archives/lock'])(
  'waits for another program to release %s, and names that program once',
  async (name) => {
    const lock = join(folder, name);
    const holder = await hold(lock);
    const { output, code } = install();
    const line = `millrace: waiting up to 10 minutes for another program that installs packages: ${lock}. `;
    await expect.poll(output).toContain(`${line}It is held by process ${holder.pid} (perl)\n`);
    holder.stdin.end();
    expect(await code).toBe(0);
    expect(output().split(line).length).toBe(2);
    expect(output()).toContain('0 upgraded, 0 newly installed');
  },
);

test('reports other errors of apt at once', async () => {
  const { output, code } = install('no-such-package');
  expect(await code).toBe(100);
  expect(output()).toContain('E: Unable to locate package no-such-package');
  expect(output()).not.toContain('waiting');
});

test('gives up after a limited number of attempts', async () => {
  const holder = await hold(join(folder, 'lists/lock'));
  environment.APT_INSTALL_MAX_TRIES = '3';
  const { output, code } = install();
  expect(await code).toBe(100);
  holder.stdin.end();
  expect(output()).toContain('millrace: another program still installs packages. Try again later: ');
});
