import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_LIMIT_MS = 280_000;
const RUN_LIMIT_MS = 120_000;

/** Exact versions by name, of packages that are too large for the repository or have an unsuitable licence. */
export type NpmClients = Readonly<Record<string, string>>;

/**
 * Installs unmodified packages into a temporary folder, which later runs reuse. Returns null if npm or its registry
 * cannot be reached.
 */
export async function installClients(dependencies: NpmClients): Promise<string | null> {
  const text = JSON.stringify({ private: true, type: 'module', dependencies });
  const name = `millrace-clients-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  const folder = path.join(tmpdir(), name);
  const found = await stat(folder).catch(() => null);
  if (found !== null) {
    // Other users can create folders next to it, and its code is run.
    if (found.uid !== process.getuid?.()) throw new Error(`Expected ${folder} to belong to this user. Delete it.`);
    return folder;
  }
  const part = `${folder}-${process.pid}`;
  await mkdir(part, { recursive: true });
  await writeFile(path.join(part, 'package.json'), text);
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  try {
    await run('npm', words, { cwd: part, timeout: INSTALL_LIMIT_MS });
    // Another test may have installed them at the same time.
    await rename(part, folder).catch(() => rm(part, { recursive: true }));
    return folder;
  } catch (error) {
    process.stderr.write(`Clients were not installed: ${error instanceof Error ? error.message : String(error)}\n`);
    await rm(part, { recursive: true, force: true });
    return null;
  }
}

type Script = { name: string; text: string; env: Record<string, string>; imports?: string };

/** Environment of the installed packages. Other variables may contain secrets. */
export const CLIENT_ENV: Readonly<Record<string, string>> = { PATH: process.env.PATH ?? '' };

/** Runs a module next to the installed packages in its own process, and returns what it printed as JSON. */
export async function runClient(folder: string, { name, text, env, imports }: Script): Promise<unknown> {
  const file = path.join(folder, `${name}-${process.pid}.mjs`);
  await writeFile(file, text);
  const words = [...(imports === undefined ? [] : ['--import', imports]), file];
  try {
    const limits = { cwd: folder, timeout: RUN_LIMIT_MS, maxBuffer: 2 ** 24 };
    const { stdout } = await run(process.execPath, words, { ...limits, env: { ...CLIENT_ENV, ...env } });
    return JSON.parse(stdout);
  } finally {
    await rm(file, { force: true });
  }
}
