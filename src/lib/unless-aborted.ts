/** Waits for a result until `signal` aborts, then throws its reason. The underlying work continues. */
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
