import { prefix } from './router.ts';

const EVENTS = ['progress', 'state', 'video', 'gone', 'deleted'];
/** Changes come in bursts: one answer a second is enough for an eye. */
const CALM_MS = 1_000;

/** What the tab that holds the stream passes on to the others. */
type Passed = { path: string; data: string };

const channel = new BroadcastChannel('millrace-events');

/**
 * Calls `onChange` soon after something changed in a library, until it is stopped; with `only`, after events that name
 * this id. All tabs share one stream of events: browsers give six connections to a host. The tab that has the lock
 * holds the stream, and the next takes over when it is closed.
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
  // Pages of plain http have no locks, save on this very machine: there each tab holds a stream of its own.
  if (!isSecureContext) {
    void hold();
    return;
  }
  navigator.locks.request(`millrace-events ${path}`, { signal }, hold).catch((reason: unknown) => {
    // Stopped before it was its turn.
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
