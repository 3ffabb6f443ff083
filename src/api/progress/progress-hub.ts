import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  PublicationChange,
  PublicationListener,
  PublicationWatch,
} from '../../catalog/publications/publication-watch-store.ts';
import type { ProgressStore, VideoProgress } from '../../catalog/videos/progress-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { Refused } from '../../lib/refused.ts';
import { wireStatus } from '../models/video-status.ts';
import { ProgressClient, type Topic } from './progress-client.ts';

const BEAT_MS = 15_000;
/** Time for which changes are collected before they are read together, in ms. */
const GATHER_MS = 100;
const RETRY_MS = 1_000;
const KEYS_REMEMBERED_MS = 1_050;
const KEY_CHECKS_AT_ONCE = 4;
const VIDEOS_AT_ONCE = 200;
const MAX_WAITING_VIDEOS = 10_000;
/** Maximum difference between the clocks of this machine and the database, in ms. */
const CLOCK_DOUBT_MS = 60_000;

export type ProgressLimits = { clients: number; clientsOfLibrary: number };

export type ProgressDeps = {
  progress: ProgressStore;
  /** Subscribes to changes. Called once per process, when the first client connects. */
  watch(listener: PublicationListener): PublicationWatch;
  onError(error: unknown): void;
  limits?: ProgressLimits;
};

const USUAL_LIMITS: ProgressLimits = { clients: 1_000, clientsOfLibrary: 200 };

/**
 * Sends the progress of videos to clients. All clients share one database connection, and each change is read once for
 * all of them. A new client gets the current state immediately. All clients get it again when changes may have been
 * missed.
 */
export class ProgressHub {
  readonly #deps: ProgressDeps;
  readonly #limits: ProgressLimits;
  readonly #clients = new Set<ProgressClient>();
  readonly #newcomers = new Set<ProgressClient>();
  /** Videos to read again, by library. */
  readonly #changed = new Map<number, Set<Guid>>();
  readonly #closing = new AbortController();
  #subscription: PublicationWatch | null = null;
  #awaySince: Date | null = null;
  #beats: NodeJS.Timeout | undefined;
  #keyCheck: NodeJS.Timeout | undefined;
  #task: Promise<void> | null = null;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? USUAL_LIMITS;
  }

  /**
   * Opens a stream of events; closing it ends the subscription. Throws `Refused` (`busy`) if there are too many
   * clients.
   */
  open(topic: Topic): Readable {
    if (this.#closing.signal.aborted) throw new Refused('unavailable', 'The service is stopping. Connect again.');
    const ofLibrary = [...this.#clients].filter((client) => client.topic.libraryId === topic.libraryId).length;
    if (this.#clients.size >= this.#limits.clients || ofLibrary >= this.#limits.clientsOfLibrary) {
      throw new Refused(
        'busy',
        `Expected at most ${this.#limits.clientsOfLibrary} event streams per library and ${this.#limits.clients} in ` +
          `total, got ${ofLibrary} and ${this.#clients.size}. Close an event stream first.`,
      );
    }
    const client = new ProgressClient(topic);
    this.#clients.add(client);
    this.#newcomers.add(client);
    client.stream.once('close', () => this.#forget(client));
    this.#subscription ??= this.#listen();
    this.#beats ??= setInterval(() => this.#beat(), BEAT_MS);
    this.#goOn();
    return client.stream;
  }

  /** Ends a stream returned by `open` within 2 s after its key or session ended, according to `isAllowed`. */
  guard(stream: Readable, isAllowed: () => Promise<boolean>): void {
    for (const client of this.#clients) if (client.stream === stream) client.isAllowed = isAllowed;
  }

  /** Ends all streams and the subscription. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#beats);
    clearTimeout(this.#keyCheck);
    for (const client of this.#clients) client.end();
    await this.#subscription?.close();
    await this.#task;
  }

  #listen(): PublicationWatch {
    this.#awaySince = new Date(Date.now() - CLOCK_DOUBT_MS);
    return this.#deps.watch({
      change: (change) => this.#receive(change),
      listening: () => {
        // Changes may have been missed while there was no listener, so every client gets the current state again.
        for (const client of this.#clients) this.#newcomers.add(client);
        this.#checkKeys();
        this.#goOn();
      },
      keys: () => this.#checkKeys(),
      lost: (error) => {
        this.#awaySince ??= new Date(Date.now() - CLOCK_DOUBT_MS);
        this.#deps.onError(error);
      },
    });
  }

  #receive({ libraryId, mediaId }: PublicationChange): void {
    if (this.#followers(libraryId, mediaId).length === 0) return;
    const changed = this.#changed.get(libraryId) ?? new Set();
    this.#changed.set(libraryId, changed.add(mediaId));
    const waiting = [...this.#changed.values()].reduce((sum, ids) => sum + ids.size, 0);
    if (waiting > MAX_WAITING_VIDEOS) {
      // There are too many changes to send one by one. Clients reconnect and get the current state.
      this.#changed.clear();
      for (const client of this.#clients) client.end();
    }
    this.#goOn();
  }

  /** Checks the keys of all clients after a second, because valid keys are cached for that time. */
  #checkKeys(): void {
    this.#keyCheck ??= setTimeout(() => {
      this.#keyCheck = undefined;
      this.#endRefused().catch((error: unknown) => {
        this.#deps.onError(error);
        if (!this.#closing.signal.aborted) this.#checkKeys();
      });
    }, KEYS_REMEMBERED_MS);
  }

  async #endRefused(): Promise<void> {
    await inParallel([...this.#clients], KEY_CHECKS_AT_ONCE, async (client) => {
      if (!(await client.isAllowed())) client.end();
    });
  }

  #goOn(): void {
    this.#task ??= this.#notifyAll().finally(() => {
      this.#task = null;
      if (this.#hasTask()) this.#goOn();
    });
  }

  #hasTask(): boolean {
    return !this.#closing.signal.aborted && (this.#newcomers.size > 0 || this.#changed.size > 0);
  }

  async #notifyAll(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#hasTask()) {
      const failed = await this.#reportOnce().then(
        () => false,
        (error: unknown) => {
          this.#deps.onError(error);
          return true;
        },
      );
      // When the service stops, the pause ends early. This is not an error.
      await sleep(failed ? RETRY_MS : GATHER_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Sends the current state to new clients first, then one batch of changes. Changes that could not be read stay
   * queued.
   */
  async #reportOnce(): Promise<void> {
    const since = this.#awaySince;
    for (const client of [...this.#newcomers]) {
      await this.#greet(client, since);
      this.#newcomers.delete(client);
    }
    if (this.#awaySince === since) this.#awaySince = null;
    for (const [libraryId, changed] of [...this.#changed]) {
      const ids = [...changed].slice(0, VIDEOS_AT_ONCE);
      for (const id of ids) changed.delete(id);
      if (changed.size === 0) this.#changed.delete(libraryId);
      try {
        await this.#reportOf(libraryId, ids);
      } catch (error) {
        this.#changed.set(libraryId, new Set([...ids, ...(this.#changed.get(libraryId) ?? [])]));
        throw error;
      }
    }
  }

  async #greet(client: ProgressClient, since: Date | null): Promise<void> {
    const { libraryId, mediaId } = client.topic;
    if (mediaId !== null) return await this.#reportOf(libraryId, [mediaId], [client]);
    for (const video of await this.#deps.progress.loadActive(libraryId, since))
      client.report(video.id, describe(video));
  }

  async #reportOf(libraryId: number, ids: readonly Guid[], only?: readonly ProgressClient[]): Promise<void> {
    const videos = await this.#deps.progress.load(libraryId, ids);
    for (const id of ids) {
      const video = videos.find((each) => each.id === id);
      for (const client of only ?? this.#followers(libraryId, id)) {
        client.report(id, video === undefined ? describeGone(libraryId, id) : describe(video));
        if (video === undefined && client.topic.mediaId !== null) client.end();
      }
    }
  }

  #followers(libraryId: number, mediaId: Guid): ProgressClient[] {
    return [...this.#clients].filter(
      ({ topic }) => topic.libraryId === libraryId && (topic.mediaId === null || topic.mediaId === mediaId),
    );
  }

  /** Sends the heartbeat. Also checks the keys, because they expire without a notification. */
  #beat(): void {
    this.#checkKeys();
    for (const client of this.#clients) client.beat();
  }

  #forget(client: ProgressClient): void {
    this.#clients.delete(client);
    this.#newcomers.delete(client);
  }
}

function describe(video: VideoProgress) {
  const { libraryId, id, state, stateReason, wasPlanned, encodeProgress, rungs, revision } = video;
  return {
    name: 'progress',
    id: revision,
    data: {
      videoLibraryId: libraryId,
      guid: id,
      status: wireStatus({ state, wasPlanned }),
      encodeProgress: state === 'finished' ? 100 : encodeProgress,
      availableResolutions: rungs.map((rung) => `${rung}p`).join(','),
      publication: revision,
      reason: stateReason,
    },
  };
}

function describeGone(libraryId: number, id: Guid) {
  return { name: 'deleted', id: null, data: { videoLibraryId: libraryId, guid: id } };
}
