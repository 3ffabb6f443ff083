import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { migrations } from '../catalog/migrations/all.ts';
import { readOwnSettings } from '../config/settings.ts';
import { readVersion } from '../lib/version.ts';
import { findSandbox } from './find-sandbox.ts';

const root = resolve(import.meta.dirname, '../..');

/** `millrace version [--json]`: prints the version; with `--json`, also all data that a bug report needs. */
export async function version(args: readonly string[]): Promise<number> {
  const { json } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } }).values;
  if (json !== true) {
    process.stdout.write(`${readVersion()}\n`);
    return 0;
  }
  const found = {
    version: readVersion(),
    commit: await readCommit(),
    schema: Object.keys(migrations).at(-1) ?? null,
    sandbox: await findSandbox(readOwnSettings()),
    ffmpeg: await readFfmpegVersion(),
    node: process.version,
    architecture: process.arch,
  };
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  return 0;
}

/** Returns the commit of a Git clone, or the commit from which an image or package was built, or null if unknown. */
async function readCommit(): Promise<string | null> {
  const text = await readFile(join(root, 'COMMIT'), 'utf8').catch(() => null);
  return text?.trim() ?? (await firstLine('git', ['-C', root, 'rev-parse', 'HEAD']));
}

async function readFfmpegVersion(): Promise<string | null> {
  const line = await firstLine('ffmpeg', ['-version']);
  return line?.replace(/^ffmpeg version (\S+).*$/, '$1') ?? null;
}

/** Returns the first line that a program prints, or null if it fails or is missing. */
async function firstLine(program: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, args);
    return stdout.split('\n')[0] ?? null;
  } catch {
    return null;
  }
}
