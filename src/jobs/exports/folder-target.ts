import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { downloadFile } from './download-file.ts';
import type { ExportTarget } from './export-target.ts';
import { mediaExtension, SNIFFED_BYTES } from './media-extension.ts';

/**
 * Opens a folder as destination of an export, and creates it. An interrupted transfer is continued in `*.part`.
 * `signal` aborts transfers.
 */
export async function openFolderTarget(folder: string, signal: AbortSignal): Promise<ExportTarget> {
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new Refused('invalid', `expected a folder that can be written, got ${folder} (${Object(cause).code}).`, {
      cause,
    });
  });
  const names = new Set(await readdir(folder));
  return {
    names: () => names,
    has: (name) => names.has(name),
    async readText(name) {
      try {
        return await readFile(join(folder, name), 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async writeText(name, text) {
      await replaceFile(join(folder, name), text);
      names.add(name);
    },
    async writeFile({ file, stem, extension, sha256 }) {
      const target = join(folder, `${stem}${extension ?? '.media'}`);
      const hash = await downloadFile(file, { target, sha256 }, signal);
      const name = `${stem}${extension ?? mediaExtension(await firstBytesOf(target))}`;
      if (extension === null) await rename(target, join(folder, name));
      names.add(name);
      return { name, sha256: hash };
    },
    async markOf(name) {
      const { size, mtimeMs } = await stat(join(folder, name));
      return `${size} ${mtimeMs}`;
    },
    hashOf: async (name) => (await sha256Of(createReadStream(join(folder, name)))).toString('hex'),
    async remove(name) {
      await rm(join(folder, name), { force: true });
      names.delete(name);
    },
    close: async () => undefined,
  };
}

async function firstBytesOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0).finally(() => handle.close());
  return buffer;
}
