import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;

/** Thrown if a file cannot be downloaded, with the reason. `isPermanent`: the same export would fail again. */
export class DownloadFailed extends Error {
  readonly isPermanent: boolean;

  constructor(message: string, { isPermanent = false } = {}) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/**
 * A file of the service. `request` requests its bytes from `fromByte` on. `skips`: true if a response with status 200
 * also starts at `fromByte`; if false, such a response starts at the beginning of the file.
 */
export type RemoteFile = { name: string; skips: boolean; request(fromByte: number): Promise<RemoteAnswer> };

/** A response, such as that of `fetch`. */
export type RemoteAnswer = { status: number; body: RemoteBody | null };

/** Bytes of a response. `cancel` discards those of a network connection. */
type RemoteBody = AsyncIterable<Uint8Array> & { cancel?(): Promise<void> };

/** The reason why a transfer failed. `isFinal`: another attempt cannot succeed. */
export type Fault = { reason: string; isFinal: boolean };

/** Returns the fault of a response, or null for one with bytes (200 and 206). */
export function statusFault(status: number): Fault | null {
  return status === 200 || status === 206 ? null : { reason: `HTTP ${status}`, isFinal: isFinal(status) };
}

/** Converts an error of a transfer to a fault. Throws errors that another attempt cannot fix. */
export function faultOf(error: unknown): Fault {
  if (hasCode(error, 'ENOSPC') || hasCode(error, 'EACCES') || hasCode(error, 'EROFS')) throw error;
  if (error instanceof DownloadFailed || error instanceof Refused) throw error;
  if (isApiError(error)) return { reason: error.message, isFinal: isFinal(error.status) };
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { reason: cause instanceof Error ? cause.message : String(cause), isFinal: false };
}

/** An `ApiError` of the SDK, which only the command line uses. */
function isApiError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && error.name === 'ApiError' && typeof Object(error).status === 'number';
}

/** Tries a transfer until it returns a value. Throws `DownloadFailed` after a final fault or the last attempt. */
export async function retryTransfer<T>(
  name: string,
  transfer: () => Promise<{ value: T } | Fault>,
  signal: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await transfer().catch((error: unknown) => {
      signal.throwIfAborted();
      return faultOf(error);
    });
    if ('value' in result) return result.value;
    if (result.isFinal || attempt === ATTEMPTS) throw new DownloadFailed(`${name}: ${result.reason}.`);
    await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
  }
}

function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}
