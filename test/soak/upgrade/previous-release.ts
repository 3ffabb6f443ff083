import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onceARun } from '../../support/once-a-run.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
/** The previous release: the first commit on `main` that states oldest versions and can drain. */
const COMMIT = 'cf01c024e6d2074fb06037ed353d116fede80b17';

/** Returns the folder of the previous release, ready to run. All tests of a run share it. */
export function openPreviousRelease(): Promise<string> {
  return onceARun('previous-release', async (place) => {
    await requireCommit();
    await mkdir(place);
    await unpack(place);
    const locks = await Promise.all([root, place].map((at) => readFile(path.join(at, 'package-lock.json'), 'utf8')));
    // With other packages, its launcher installs them at the first start.
    if (locks[0] === locks[1]) await symlink(path.join(root, 'node_modules'), path.join(place, 'node_modules'));
  });
}

async function requireCommit(): Promise<void> {
  if (!existsSync(path.join(root, '.git'))) {
    throw new Error(`Expected a git clone with commit ${COMMIT}, the previous release, got a folder without .git.`);
  }
  try {
    await run('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: root });
  } catch (cause) {
    const { stdout } = await run('git', ['rev-parse', '--is-shallow-repository'], { cwd: root });
    const found = stdout.trim() === 'true' ? 'a shallow clone without it' : 'a clone without it';
    const message = `Expected commit ${COMMIT}, the previous release, got ${found}. Run: git fetch --unshallow`;
    throw new Error(message, { cause });
  }
}

async function unpack(place: string): Promise<void> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const archive = spawn('git', ['archive', '--format=tar', COMMIT, '--', '.', ':!test', ':!bench'], {
    cwd: root,
    stdio: [...stdio],
  });
  const tar = spawn('tar', ['-x', '-C', place], { stdio: ['pipe', 'ignore', 'inherit'] });
  archive.stdout.pipe(tar.stdin);
  const codes = await Promise.all([archive, tar].map(async (child) => (await once(child, 'close'))[0]));
  if (codes.some((code) => code !== 0))
    throw new Error(`Could not unpack commit ${COMMIT}: codes ${codes.join(', ')}.`);
}
