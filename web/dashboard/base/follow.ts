import { prefix } from './router.ts';

const EVENTS = ['progress', 'state', 'video', 'gone', 'deleted'];
/** Changes come in bursts: one answer a second is enough for an eye. */
const CALM_MS = 1_000;

/**
 * Calls `onChange` soon after something changed in what a stream of events sends, until it is stopped. A page that
 * nobody looks at holds no connection: browsers give six to a host.
 */
export function follow(path: string, onChange: () => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, CALM_MS);
  };
  const open = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (source === null) {
      source = new EventSource(prefix + path);
      for (const name of EVENTS) source.addEventListener(name, soon);
      soon();
    }
  };
  open();
  document.addEventListener('visibilitychange', open);
  return () => {
    document.removeEventListener('visibilitychange', open);
    source?.close();
    clearTimeout(timer);
  };
}
