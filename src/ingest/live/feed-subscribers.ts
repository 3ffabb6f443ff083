import type { ServerResponse } from 'node:http';

/**
 * Maximum number of bytes queued for an edge. An edge that is slower is disconnected. It reconnects and gets a new
 * snapshot.
 */
const MAX_QUEUED_BYTES = 64 * 2 ** 20;
const MAX_SUBSCRIBERS = 1_000;

/** Edges that watch one stream. */
export class FeedSubscribers {
  readonly #responses = new Set<ServerResponse>();

  /** Sends the snapshot to an edge and adds it. Returns false if there are too many edges. */
  add(response: ServerResponse, snapshot: readonly Buffer[]): boolean {
    if (this.#responses.size >= MAX_SUBSCRIBERS) return false;
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
    write(response, snapshot);
    return true;
  }

  send(frame: readonly Buffer[]): void {
    for (const response of this.#responses) {
      if (response.writableLength > MAX_QUEUED_BYTES) response.destroy();
      else write(response, frame);
    }
  }

  end(): void {
    for (const response of this.#responses) response.end();
    this.#responses.clear();
  }
}

function write(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
}
