import type { IncomingMessage } from 'node:http';
import { remember } from '../../lib/remember.ts';

/** Time for which a viewer counts as playing after the last request, in ms. */
const KNOWN_MS = 30 * 60_000;
const MAX_VIEWERS = 100_000;

type Viewer = { libraryId: number; clientKey: string; message: IncomingMessage };

/**
 * Remembers the viewers of libraries with a limit, so that the limit does not cut off viewers who already play. A
 * viewer is an address and a User-Agent. Above 100,000 viewers, the oldest are forgotten.
 */
export class KnownViewers {
  readonly #lastMs = new Map<string, number>();

  see(viewer: Viewer, nowMs: number): void {
    const key = keyOf(viewer);
    this.#lastMs.delete(key);
    remember(this.#lastMs, [key, nowMs], MAX_VIEWERS);
  }

  isPlaying(viewer: Viewer, nowMs: number): boolean {
    const lastMs = this.#lastMs.get(keyOf(viewer));
    return lastMs !== undefined && nowMs - lastMs < KNOWN_MS;
  }
}

function keyOf({ libraryId, clientKey, message }: Viewer): string {
  return `${libraryId}\n${clientKey}\n${message.headers['user-agent']?.slice(0, 512) ?? ''}`;
}
