import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import { type Fault, faultOf, type RemoteFile, retryTransfer, statusFault } from './transfer-fault.ts';

/**
 * Downloads a file to `target`, and returns its SHA-256. Continues an earlier partial download (`target.part`), and
 * tries again after network failures, statuses of 500 and above, and 429. If `sha256` is not null, content with a
 * different hash is discarded; if it is null, a partial download starts again. Throws `DownloadFailed` if the last
 * attempt fails, or at once for any other status.
 */
export function downloadFile(
  file: RemoteFile,
  { target, sha256 }: { target: string; sha256: string | null },
  signal: AbortSignal,
): Promise<string> {
  const part = `${target}.part`;
  const download = async () => {
    // Without a hash, a partial file may belong to an earlier version.
    if (sha256 === null) await rm(part, { force: true });
    const fault = await transfer(file, part, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return faultOf(error);
    });
    if (fault !== null) return fault;
    const hash = await hashOf(part);
    if (sha256 !== null && hash !== sha256) {
      // A partial file of an earlier version must not be continued.
      await rm(part, { force: true });
      return { reason: 'its SHA-256 differs from the one that the service recorded', isFinal: false };
    }
    await rename(part, target);
    return { value: hash };
  };
  return retryTransfer(file.name, download, signal);
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Appends the missing bytes. Returns null if the file is complete. */
async function transfer({ request, skips }: RemoteFile, part: string, signal: AbortSignal): Promise<Fault | null> {
  const fromByte = await sizeOf(part);
  const response = await request(fromByte);
  const { status, body } = response;
  // Either the partial file is complete, or the file on the service is shorter now. The hash shows which one is true.
  if (status === 416 && fromByte > 0) return null;
  const fault = statusFault(status);
  if (fault !== null) {
    await body?.cancel?.();
    return fault;
  }
  if (body === null) return { reason: 'the response has no body', isFinal: false };
  await pipeline(body, createWriteStream(part, { flags: status === 206 || skips ? 'a' : 'w', flush: true }), {
    signal,
  });
  return null;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
