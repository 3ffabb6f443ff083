import { Readable } from 'node:stream';
import type { Guid } from '../../lib/guid.ts';

/** Subject of a subscription: one video, or a whole library if `mediaId` is null. */
export type Topic = { libraryId: number; mediaId: Guid | null };

/**
 * Maximum number of unsent bytes of a client. A client above this limit is disconnected; it reconnects and gets the
 * current state.
 */
const MAX_WAITING_BYTES = 256 * 1024;
const REMEMBERED_VIDEOS = 200;
const RECONNECT_MS = 2_000;

/** One open stream of server-sent events (HTML Living Standard section 9.2). */
export class ProgressClient {
  readonly topic: Topic;
  readonly stream = new Readable({ read() {} });
  /** Returns whether the key or session that opened the stream still gives access. */
  isAllowed: () => Promise<boolean> = async () => true;
  #isOver = false;
  /** Last message about each video, so that no message is repeated. */
  readonly #said = new Map<Guid, string>();

  constructor(topic: Topic) {
    this.topic = topic;
    this.stream.push(`retry: ${RECONNECT_MS}\n\n`);
  }

  report(mediaId: Guid, event: { name: string; id: number | null; data: object }): void {
    const id = event.id === null ? '' : `id: ${event.id}\n`;
    const text = `event: ${event.name}\n${id}data: ${JSON.stringify(event.data)}\n\n`;
    if (this.#said.get(mediaId) === text) return;
    this.#said.delete(mediaId);
    const oldest = this.#said.keys().next();
    if (this.#said.size >= REMEMBERED_VIDEOS && !oldest.done) this.#said.delete(oldest.value);
    this.#said.set(mediaId, text);
    this.#write(text);
  }

  /** Writes a comment, so that proxies, the client and the server do not close an idle connection. */
  beat(): void {
    this.#write(':\n\n');
  }

  end(): void {
    this.#isOver = true;
    this.stream.push(null);
  }

  #write(text: string): void {
    if (this.stream.destroyed || this.#isOver) return;
    if (this.stream.readableLength > MAX_WAITING_BYTES) this.stream.destroy();
    else this.stream.push(text);
  }
}
