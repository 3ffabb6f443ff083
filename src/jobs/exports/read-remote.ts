import { setTimeout as sleep } from 'node:timers/promises';
import { DownloadFailed, faultOf, type RemoteFile, statusFault } from './transfer-fault.ts';

/** Maximum number of consecutive attempts to continue a file without receiving a byte. */
const MAX_CONTINUATIONS = 5;
const PAUSE_MS = 1_000;

/**
 * Yields the bytes of a file. With `canContinue`, requests the remaining bytes after an interruption. Throws
 * `DownloadFailed` if another attempt cannot succeed.
 */
export async function* readRemote(
  file: RemoteFile,
  canContinue: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let [received, failures] = [0, 0];
  for (;;) {
    const before = received;
    try {
      const body = await bodyFrom(file, received);
      if (body === null) return;
      for await (const chunk of body) {
        received += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      failures = received > before ? 1 : failures + 1;
      if (faultOf(error).isFinal || !canContinue || failures === MAX_CONTINUATIONS) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Requests the bytes from a position on. Returns null if the file ends there. */
async function bodyFrom(
  { name, request, skips }: RemoteFile,
  fromByte: number,
): Promise<AsyncIterable<Uint8Array> | null> {
  const { status, body } = await request(fromByte);
  if (status === 416 && fromByte > 0) return null;
  const fault = statusFault(status);
  const startsAgain = fromByte > 0 && status === 200 && !skips;
  if (fault === null && !startsAgain && body !== null) return body;
  await body?.cancel?.();
  const reason = fault?.reason ?? 'the service did not continue the file';
  throw fault?.isFinal === true ? new DownloadFailed(`${name}: ${reason}.`, { isPermanent: true }) : new Error(reason);
}
