import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, api, describeError, UnreachableError } from './api.ts';

/** Time after which a read is repeated if the service could not be reached. */
const UNREACHABLE_RETRY_MS = 5_000;

export type Loaded<T> = {
  value: Signal<T | null>;
  error: Signal<string | null>;
  /** True if the last read returned 404. */
  isGone: Signal<boolean>;
  again: () => void;
  /** Like `again`, but does nothing while a read is running. */
  look: () => void;
};

/**
 * Reads a URL when the component mounts or the URL changes. `again` reads it again and shows the old value
 * until then. `question`, the body of a search, is sent by POST. Null as the URL reads nothing.
 */
export function useLoaded<T>(path: string | null, question?: object): Loaded<T> {
  const value = useSignal<T | null>(null);
  const error = useSignal<string | null>(null);
  const isGone = useSignal(false);
  const latest = useRef<AbortController | null>(null);
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);
  const again = () => {
    clearTimeout(retry.current);
    latest.current?.abort();
    if (path === null) return;
    const turn = new AbortController();
    latest.current = turn;
    api<T>(question === undefined ? 'GET' : 'POST', path, question, turn.signal)
      .then((found) => {
        value.value = found;
        error.value = null;
        isGone.value = false;
      })
      .catch((reason: unknown) => {
        if (turn.signal.aborted) return;
        error.value = describeError(reason);
        isGone.value = reason instanceof ApiError && reason.status === 404;
        if (reason instanceof UnreachableError)
          retry.current = setTimeout(() => newest.current(), UNREACHABLE_RETRY_MS);
      })
      .finally(() => {
        if (latest.current === turn) latest.current = null;
      });
  };
  const newest = useRef(again);
  newest.current = again;
  const look = () => {
    if (latest.current === null) again();
  };
  // Only a new URL or question triggers a new read.
  useEffect(() => {
    isGone.value = false;
    again();
    return () => {
      clearTimeout(retry.current);
      latest.current?.abort();
    };
  }, [path, JSON.stringify(question)]);
  return { value, error, isGone, again, look };
}

/** Calls `again` every `everyMs` while the page is visible. */
export function useRefresh(again: () => void, everyMs: number): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
