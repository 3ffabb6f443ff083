import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hasCode } from './has-code.ts';

/**
 * Fills a folder with `fill`, which returns the list of its files. Writes to a temporary folder next to the target and
 * renames it in one step, so that no other process or crash leaves a partial folder.
 */
export async function packFolder(target: string | undefined, fill: (draft: string) => Promise<object>): Promise<void> {
  if (target === undefined) throw new Error('Expected a folder as the first argument, got none.');
  await mkdir(path.dirname(target), { recursive: true });
  const draft = await mkdtemp(path.join(path.dirname(target), 'draft-'));
  try {
    const list = await fill(draft);
    await writeFile(path.join(draft, 'packed.json'), JSON.stringify(list));
    // A service of another user reads the folder too, and may not be allowed to write here.
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    // Another process was faster. Its result is identical.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Writes a file uncompressed and compressed, for `loadPacked`. */
export async function writeCompressed(draft: string, name: string, bytes: Buffer): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  const file = path.join(draft, name);
  await Promise.all([
    writeFile(file, bytes),
    promisify(brotliCompress)(bytes, brotli).then((packed) => writeFile(`${file}.br`, packed)),
    promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ]);
}
