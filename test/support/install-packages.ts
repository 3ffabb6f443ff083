import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Timeout against hangs. The packages are 120 MB from the registry. */
const INSTALL_MS = 600_000;

/** Returns the path of a package's file `name/path`. */
export type Locate = (file: string) => string;

/**
 * Installs the packages pinned by the `package-lock.json` of one folder into another: packages that only one
 * measurement or soak needs. An existing installation of the same lock file is kept.
 */
export async function installPackages(manifests: string, folder: string): Promise<Locate> {
  const lock = await readFile(path.join(manifests, 'package-lock.json'));
  const mark = createHash('sha256').update(lock).digest('hex');
  const markFile = path.join(folder, 'installed');
  const packages = path.join(folder, 'node_modules');
  const locate: Locate = (file) => path.join(packages, file);
  if ((await readFile(markFile, 'utf8').catch(() => '')) === mark) return locate;
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    await cp(path.join(manifests, name), path.join(folder, name));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: folder, timeout: INSTALL_MS });
  await writeFile(markFile, mark);
  return locate;
}
