import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file at once and durably, so that an interruption leaves the old or the new content. `mode` is the mode
 * of the new file.
 */
export async function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const fresh = `${file}.${process.pid}.new`;
  try {
    await writeFile(fresh, content, { flush: true, mode });
    await rename(fresh, file);
  } catch (error) {
    // A full disk leaves a part of the new file.
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}
