import { readFile } from 'node:fs/promises';
import { hasCode } from '../../lib/has-code.ts';
import { recognizeForeign, START_BYTES } from './foreign-bytes.ts';
import type { SourceFault } from './source-facts.ts';

/** Returns the fault of an empty file, or of a file with a few bytes of text. Returns null for any other file. */
export async function readTinyFault(path: string, sizeBytes: number): Promise<SourceFault | null> {
  if (sizeBytes === 0) return { kind: 'empty-file', message: 'Expected a media file, got 0 bytes. Upload the file.' };
  if (sizeBytes >= START_BYTES) return null;
  const bytes = await readOrNull(path);
  const foreign = bytes === null ? null : recognizeForeign(bytes, true);
  if (foreign === null) return null;
  const { kind, advice } = foreign;
  const message = `Expected a video or audio file, got ${kind} of ${sizeBytes} bytes: ${advice}.`;
  return { kind: 'not-media', message };
}

/** Returns null for a file that does not exist, because ffprobe reports this case. */
async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
