import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, describeError } from './api.ts';

export type Loaded<T> = {
  value: Signal<T | null>;
  error: Signal<string | null>;
  again: () => void;
  /** Like `again`, but skipped while a read is running. */
  look: () => void;
};

/**
 * Reads an address when the component mounts or the address changes. `again` reads it again and shows the old value
 * until then. `question`, the body of a search, is sent by POST.
 */
export function useLoaded<T>(path: string, question?: object): Loaded<T> {
  const value = useSignal<T | null>(null);
  const error = useSignal<string | null>(null);
  const latest = useRef<AbortController | null>(null);
  const again = () => {
    latest.current?.abort();
    const turn = new AbortController();
    latest.current = turn;
    api<T>(question === undefined ? 'GET' : 'POST', path, question, turn.signal)
      .then((found) => {
        value.value = found;
        error.value = null;
      })
      .catch((reason: unknown) => {
        if (!turn.signal.aborted) error.value = describeError(reason);
      })
      .finally(() => {
        if (latest.current === turn) latest.current = null;
      });
  };
  const look = () => {
    if (latest.current === null) again();
  };
  // Only a new address or question triggers a new read.
  useEffect(() => {
    again();
    return () => latest.current?.abort();
  }, [path, JSON.stringify(question)]);
  return { value, error, again, look };
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
