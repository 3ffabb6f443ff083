import { prefix } from './router.ts';

const EVENTS = ['progress', 'state', 'video', 'gone', 'deleted'];
/** Minimum time between two updates, because changes arrive in bursts. */
const CALM_MS = 1_000;

/** An event that the tab with the stream forwards to the others. */
type Passed = { path: string; data: string };

const channel = new BroadcastChannel('millrace-events');

/**
 * Calls `onChange` soon after a change in a library, until stopped. With `only`, calls it after events that name this
 * id. All tabs share one event stream, because browsers allow six connections per host. The tab with the lock owns the
 * stream. When it closes, the next tab takes over.
 */
export function follow(libraryId: number, onChange: () => void, only = ''): () => void {
  const path = `/library/${libraryId}/progress`;
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStale = false;
  const soon = () => {
    if (document.hidden) {
      isStale = true;
      return;
    }
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, CALM_MS);
  };
  const take = ({ path: of, data }: Passed) => {
    if (of === path && data.includes(only)) soon();
  };
  const receive = ({ data }: MessageEvent<Passed>) => take(data);
  const look = () => {
    if (document.hidden || !isStale) return;
    isStale = false;
    soon();
  };
  channel.addEventListener('message', receive);
  document.addEventListener('visibilitychange', look);
  holdStream(path, take, stopped.signal);
  return () => {
    stopped.abort();
    channel.removeEventListener('message', receive);
    document.removeEventListener('visibilitychange', look);
    clearTimeout(timer);
  };
}

function holdStream(path: string, take: (passed: Passed) => void, signal: AbortSignal): void {
  const hold = () => readStream(path, take, signal);
  // Plain-http pages have no locks, except on localhost. There each tab has its own stream.
  if (!isSecureContext) {
    void hold();
    return;
  }
  navigator.locks.request(`millrace-events ${path}`, { signal }, hold).catch((reason: unknown) => {
    // The wait for the lock was stopped.
    if (!signal.aborted) throw reason;
  });
}

async function readStream(path: string, take: (passed: Passed) => void, signal: AbortSignal): Promise<void> {
  const source = new EventSource(prefix + path);
  const pass = ({ data }: MessageEvent<string>) => {
    const passed: Passed = { path, data };
    take(passed);
    channel.postMessage(passed);
  };
  for (const name of EVENTS) source.addEventListener(name, pass);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  source.close();
}
