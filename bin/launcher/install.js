import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './run-child.js';

/**
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean,
 *   os?: string[], cpu?: string[], optionalDependencies?: Record<string, string> }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 */

/**
 * Installs node_modules according to package-lock.json, unless that was already done. A killed install leaves no hidden
 * lock file, so the next start repeats it.
 * @param {string} root
 * @param {{ withDev: boolean }} wanted
 */
export async function ensureInstalled(root, wanted) {
  const lock = readLock(join(root, 'package-lock.json'));
  if (lock === null) throw new Error(`Expected package-lock.json in ${root}, got none. Restore the file.`);
  if (missingPackage(lock, readLock(join(root, 'node_modules/.package-lock.json')), wanted) === null) return;
  process.stderr.write(`millrace: installing packages${wanted.withDev ? '' : ' (without development packages)'}\n`);
  const [program, ...first] = npmCommand(process.env);
  const scope = wanted.withDev ? '--include=dev' : '--omit=dev';
  // npm warns that packages need a newer Node than its own. The installed Node runs them.
  const code = await runChild(program, [...first, 'ci', '--include=optional', scope, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (code !== 0) throw new Error(`npm ci ended with code ${code}. See its messages above.`);
}

/**
 * Returns the first package that is not installed as locked, or null if all are. Optional packages may be absent (other
 * platforms), except those that the project itself lists for this platform.
 * @param {Lock} lock
 * @param {Lock | null} installed
 * @param {{ withDev: boolean }} wanted
 * @returns {string | null}
 */
export function missingPackage(lock, installed, { withDev }) {
  if (installed === null) return 'node_modules';
  const ours = Object.keys(lock.packages['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '' || (locked.dev && !withDev)) continue;
    const found = installed.packages[path];
    const mayBeAbsent = ours.includes(path) ? !fitsPlatform(locked) : locked.optional || locked.devOptional;
    if (found === undefined && mayBeAbsent) continue;
    if (found?.version !== locked.version || found?.integrity !== locked.integrity) return path;
  }
  return null;
}

/** @param {LockedPackage} locked */
function fitsPlatform({ os, cpu }) {
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
}

/**
 * Returns the npm that started this process, or else the one on the path.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {[string, ...string[]]}
 */
function npmCommand({ npm_execpath: npmScript }) {
  return npmScript?.endsWith('.js') ? [process.execPath, npmScript] : ['npm'];
}

/**
 * @param {string} path
 * @returns {Lock | null}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`Expected a package lock in ${path}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
