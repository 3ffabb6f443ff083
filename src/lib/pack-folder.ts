import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hasCode } from './has-code.ts';

/**
 * Has a folder filled, with what `fill` answers as its list. Packs beside the place and moves there at once: another
 * process, or a kill, never meets a part of it.
 */
export async function packFolder(target: string | undefined, fill: (draft: string) => Promise<object>): Promise<void> {
  if (target === undefined) throw new Error('Expected the folder to pack into.');
  await mkdir(path.dirname(target), { recursive: true });
  const draft = await mkdtemp(path.join(path.dirname(target), 'draft-'));
  try {
    const list = await fill(draft);
    await writeFile(path.join(draft, 'packed.json'), JSON.stringify(list));
    // A service of another user reads it too, who may have no right to pack here.
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    // Another process was first: its result is as good.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Writes a file as it is and as browsers take it compressed, where `loadPacked` reads it. */
export async function writeCompressed(draft: string, name: string, bytes: Buffer): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  const file = path.join(draft, name);
  await writeFile(file, bytes);
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, brotli));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
