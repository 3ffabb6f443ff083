import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(root, '.cache/players');
/** A bound on hanging: 120 MB from the registry. */
const INSTALL_MS = 600_000;

/** Where a file of a player's package lies: `name/path`, by the name that `package.json` beside this file gives it. */
export type Locate = (file: string) => string;

/** The players that the project has installed for other tests, by the same names. */
export function ownPackages(): Locate {
  return (file) => path.join(root, 'node_modules', file.replace(/^shaka-player-5\//, 'shaka-player/'));
}

/**
 * Installs the players of npm into `.cache/players`, as `package-lock.json` beside this file pins them; they are 420 MB
 * on disk, which nothing but this soak needs. What is there from the same lock file stays.
 */
export async function installPlayers(): Promise<Locate> {
  const lock = await readFile(path.join(import.meta.dirname, 'package-lock.json'));
  const mark = createHash('sha256').update(lock).digest('hex');
  const markFile = path.join(folder, 'installed');
  const packages = path.join(folder, 'node_modules');
  const locate: Locate = (file) => path.join(packages, file);
  if ((await readFile(markFile, 'utf8').catch(() => '')) === mark) return locate;
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(path.join(import.meta.dirname, name), path.join(folder, name));
  }
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: folder, timeout: INSTALL_MS });
  await writeFile(markFile, mark);
  return locate;
}
