import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refused } from '../../lib/refused.ts';
import { readModel } from './read-model.ts';

const LIMIT_MS = 60 * 60_000;
const MAX_OUTPUT_BYTES = 2 ** 20;

/**
 * Unpacks an archive into an existing empty folder. Returns the subfolder that contains the model. Throws `Refused`
 * (`invalid`) if tar cannot read the archive, if the archive contains no model, or if the model contains links. GNU tar
 * itself rejects members with paths outside the folder.
 */
export async function unpackModel(archive: string, into: string): Promise<string> {
  const owner = ['--no-same-owner', '--no-same-permissions'];
  // `--force-local`: a colon in the file name does not denote a remote host.
  await run(['--extract', '--force-local', '--file', archive, '--directory', into, ...owner]);
  await requirePlainFiles(into);
  for (const folder of [into, ...(await foldersOf(into))]) {
    if (!(await readdir(folder)).some((file) => file.endsWith('tokens.txt'))) continue;
    await readModel(folder);
    return folder;
  }
  throw new Refused('invalid', 'The archive contains no speech model: none of its folders has a file tokens.txt.');
}

async function foldersOf(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
}

/**
 * Throws `Refused` (`invalid`) if a folder contains anything except regular files. This is checked before any file is
 * read, because links would be followed.
 */
async function requirePlainFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() && !entry.isDirectory()) {
      throw new Refused('invalid', `The archive contains ${entry.name}, which is not a regular file.`);
    }
  }
}

function run(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('tar', args, { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES }, (error, _, stderr) => {
      if (error === null) return resolve();
      const why = stderr.trim().split('\n').slice(0, 3).join(' ') || error.message;
      const hint = /bzip2.*(not found|No such file|Cannot exec)/i.test(stderr) ? ' Install bzip2.' : '';
      reject(new Refused('invalid', `Could not unpack the archive: ${why}.${hint}`, { cause: error }));
    });
  });
}
