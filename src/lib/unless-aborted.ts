/**
 * Waits for an answer until `signal` is given, then throws its reason. Whoever makes the answer goes on: no caller
 * waits for it.
 */
export async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
