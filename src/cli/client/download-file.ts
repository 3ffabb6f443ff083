import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../sdk/src/millrace.ts';
import { hasCode } from '../../lib/has-code.ts';

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;

/** Thrown if a file cannot be downloaded, with the reason. */
export class DownloadFailed extends Error {}

/**
 * A file of the service. `request` requests its bytes from `fromByte` on. `skips`: true if a response with status 200
 * also starts at `fromByte`; if false, such a response starts at the beginning of the file.
 */
export type RemoteFile = { name: string; skips: boolean; request(fromByte: number): Promise<Response> };

/**
 * Downloads a file to `target`, and returns its SHA-256. Continues an earlier partial download (`target.part`), and
 * tries again after network failures, statuses of 500 and above, and 429. If `sha256` is not null, content with a
 * different hash is discarded; if it is null, a partial download starts again. Throws `DownloadFailed` if the last
 * attempt fails, or at once for any other status.
 */
export async function downloadFile(
  file: RemoteFile,
  { target, sha256 }: { target: string; sha256: string | null },
): Promise<string> {
  const part = `${target}.part`;
  for (let attempt = 1; ; attempt += 1) {
    // Without a hash, a partial file may belong to an earlier version.
    if (sha256 === null) await rm(part, { force: true });
    const fault = await transfer(file, part);
    const hash = fault === null ? await hashOf(part) : null;
    if (hash !== null && (sha256 === null || hash === sha256)) {
      await rename(part, target);
      return hash;
    }
    // A partial file of an earlier version must not be continued.
    if (hash !== null) await rm(part, { force: true });
    const reason = fault?.reason ?? 'its SHA-256 differs from the one that the service recorded';
    if (fault?.isFinal === true || attempt === ATTEMPTS) throw new DownloadFailed(`${file.name}: ${reason}.`);
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

type Fault = { reason: string; isFinal: boolean };

/** Appends the missing bytes. Returns null if the file is already complete. */
async function transfer({ request, skips }: RemoteFile, part: string): Promise<Fault | null> {
  const fromByte = await sizeOf(part);
  try {
    const response = await request(fromByte);
    const { status, body } = response;
    // Either the partial file is complete, or the file on the service is shorter now. The hash shows which one is true.
    if (status === 416 && fromByte > 0) return null;
    if (status !== 200 && status !== 206) {
      await body?.cancel();
      return { reason: `HTTP ${status}`, isFinal: isFinal(status) };
    }
    if (body === null) return { reason: 'the response has no body', isFinal: false };
    await pipeline(body, createWriteStream(part, { flags: status === 206 || skips ? 'a' : 'w', flush: true }));
    return null;
  } catch (error) {
    if (hasCode(error, 'ENOSPC') || hasCode(error, 'EACCES') || hasCode(error, 'EROFS')) throw error;
    if (error instanceof DownloadFailed) throw error;
    if (error instanceof ApiError) return { reason: error.message, isFinal: isFinal(error.status) };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { reason: cause instanceof Error ? cause.message : String(cause), isFinal: false };
  }
}

function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
