import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Maximum time for which one request waits for values of all caches, in ms. A slow database delays a viewer instead of
 * refusing the request. Players give up on a request after 10 s.
 */
export const REQUEST_PATIENCE_MS = 8_000;

type Patience = { leftMs: number };

const current = new AsyncLocalStorage<Patience>();

/** Runs a request. Its lookups in `FreshCache` share `REQUEST_PATIENCE_MS`, as a response needs several of them. */
export function withRequestPatience<Result>(run: () => Result): Result {
  return current.run({ leftMs: REQUEST_PATIENCE_MS }, run);
}

/** Returns the remaining patience of the running request. Other code, such as a timer, has the whole patience. */
export function patienceOfRequest(): Patience {
  return current.getStore() ?? { leftMs: REQUEST_PATIENCE_MS };
}
